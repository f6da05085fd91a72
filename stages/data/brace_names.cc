#include "stages/data/brace_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace flowtrain::data {
namespace {

using Strings = std::vector<std::string>;

constexpr int kMostBraces = 16;

struct Bound {
  int64_t value = 0;
  size_t width = 0;  // where it begins with 0
};

Bound ParseBound(std::string_view text) {
  Bound bound;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound.value);
  if (error != std::errc() || end != text.data() + text.size() || bound.value < 0) {
    throw std::runtime_error("\"" + std::string(text) + "\" is no number to count from or to");
  }
  if (text.size() > 1 && text[0] == '0') bound.width = text.size();
  return bound;
}

void CheckCount(size_t count, size_t most) {
  if (count > most) {
    throw std::runtime_error("it stands for more than " + std::to_string(most) + " names");
  }
}

class Expander {
 public:
  explicit Expander(size_t most) : most_(most) {}

  Strings Expand(std::string_view text, int depth) const {
    if (depth > kMostBraces) throw std::runtime_error("braces are nested too deeply");
    Strings names = {""};
    while (!text.empty()) {
      const size_t open = std::min(text.find_first_of("{}"), text.size());
      Append(names, {std::string(text.substr(0, open))});
      text.remove_prefix(open);
      if (text.empty()) break;
      const size_t close = Close(text);
      Append(names, Group(text.substr(1, close - 1), depth));
      text.remove_prefix(close + 1);
    }
    return names;
  }

 private:
  // Where the brace that begins the text is closed.
  static size_t Close(std::string_view text) {
    int open = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
      if (open < 0) break;
      if (open == 0) return i;
    }
    throw std::runtime_error("its braces don't match");
  }

  // What stands between braces.
  Strings Group(std::string_view text, int depth) const {
    Strings parts;
    int open = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size()) open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
      if (i < text.size() && (open > 0 || text[i] != ',')) continue;
      parts.emplace_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
    if (parts.size() == 1) return Range(text);
    Strings names;
    for (const std::string& part : parts) {
      for (std::string& name : Expand(part, depth + 1)) names.push_back(std::move(name));
      Check(names.size());
    }
    return names;
  }

  Strings Range(std::string_view text) const {
    const size_t dots = text.find("..");
    if (dots == text.npos) {
      throw std::runtime_error("\"{" + std::string(text) +
                               "}\" is neither a range {0..9} nor a choice {a,b}");
    }
    const Bound from = ParseBound(text.substr(0, dots)), to = ParseBound(text.substr(dots + 2));
    const size_t width = std::max(from.width, to.width);
    const auto [low, high] = std::minmax(from.value, to.value);
    const auto steps = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    if (steps >= most_) Check(SIZE_MAX);
    Strings names;
    for (uint64_t i = 0; i <= steps; ++i) {
      const auto step = static_cast<int64_t>(i);
      const std::string digits =
          std::to_string(from.value + (from.value <= to.value ? step : -step));
      names.push_back(std::string(width - std::min(width, digits.size()), '0') + digits);
    }
    return names;
  }

  // Each name with each end.
  void Append(Strings& names, const Strings& ends) const {
    if (ends.size() == 1) {
      for (std::string& name : names) name += ends[0];
      return;
    }
    if (ends.size() > most_ / names.size()) Check(SIZE_MAX);
    Strings all;
    for (const std::string& name : names) {
      for (const std::string& end : ends) all.push_back(name + end);
    }
    names = std::move(all);
  }

  void Check(size_t count) const { CheckCount(count, most_); }

  const size_t most_;
};

}  // namespace

Strings ExpandBraces(std::string_view text, size_t most) {
  Strings names;
  while (!text.empty()) {
    const size_t end = text.find("::");
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 2);
    if (one.empty()) continue;
    for (std::string& name : Expander(most - names.size()).Expand(one, 0)) {
      names.push_back(std::move(name));
    }
    CheckCount(names.size(), most);  // one name without braces is more than none
  }
  return names;
}

}  // namespace flowtrain::data
