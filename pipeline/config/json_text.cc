#include "pipeline/config/json_text.h"

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

constexpr size_t kMaxDepth = 100;

// Says where the parser is: its SAX events don't.
struct TrackedIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** furthest = nullptr;

  reference operator*() const { return *at; }
  TrackedIterator& operator++() {
    ++at;
    if (furthest != nullptr) *furthest = at;
    return *this;
  }
  TrackedIterator operator++(int) {
    TrackedIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const TrackedIterator& other) const { return at == other.at; }
};

std::string LineAndColumn(const std::string& text, size_t offset) {
  size_t line = 1, start = 0;
  for (size_t i = 0; i < std::min(offset, text.size()); ++i) {
    if (text[i] == '\n') {
      ++line;
      start = i + 1;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(offset - start + 1);
}

class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::string& text, Faults& faults)
      : at_(text.data()), text_(text), faults_(faults) {}

  bool Parse() {
    const char* end = text_.data() + text_.size();
    return nlohmann::json::sax_parse(TrackedIterator{text_.data(), &at_},
                                     TrackedIterator{end, nullptr}, this,
                                     nlohmann::json::input_format_t::json, true, true);
  }
  Value& result() { return result_; }
  Places& places() { return places_; }

  bool null() override { return Put(Value()); }
  bool boolean(bool v) override { return Put(v); }
  bool number_integer(number_integer_t v) override { return Put(static_cast<int64_t>(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return Put(static_cast<double>(v));
    return Put(static_cast<int64_t>(v));
  }
  bool number_float(number_float_t v, const string_t&) override { return Put(v); }
  bool string(string_t& v) override { return Put(std::move(v)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Start(true); }
  bool start_array(size_t) override { return Start(false); }
  bool end_object() override { return End(); }
  bool end_array() override { return End(); }

  bool key(string_t& key) override {
    Frame& frame = frames_.back();
    frame.key = key;
    frame.drop = false;
    for (const auto& [name, member] : frame.object) {
      if (name != key) continue;
      frame.drop = true;
      // The parser has just read the closing quote.
      size_t start = Offset() - 1;
      do --start;
      while (text_[start] != '"' || (start > 0 && text_[start - 1] == '\\'));
      faults_.Add(Join(frame.pointer, key),
                  LineAndColumn(text_, start) + ": the key \"" + key +
                      "\" stands here a second time; a key may stand once");
    }
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception...] parse error at line 1, column 2: what": the place is said by us.
    std::string what = error.what();
    if (const size_t colon = what.find(": "); colon != std::string::npos) what.erase(0, colon + 2);
    faults_.Add(LineAndColumn(text_, position > 0 ? position - 1 : 0), "broken JSON: " + what);
    return false;
  }

 private:
  struct Frame {
    bool is_object = false;
    std::string pointer, key;
    bool drop = false;  // the value that follows belongs to a key's second occurrence
    Value::Object object;
    Value::List list;
  };

  size_t Offset() const { return static_cast<size_t>(at_ - text_.data()); }
  std::string Here() const {
    if (frames_.empty()) return "";
    const Frame& frame = frames_.back();
    return frame.is_object ? Join(frame.pointer, frame.key)
                           : Join(frame.pointer, frame.list.size());
  }
  bool Start(bool is_object) {
    if (frames_.size() == kMaxDepth) {
      faults_.Add(LineAndColumn(text_, Offset() - 1),
                  "nested deeper than " + std::to_string(kMaxDepth) + " levels");
      return false;
    }
    places_.emplace(Here(), Offset());
    frames_.push_back({is_object, Here(), {}, false, {}, {}});
    return true;
  }
  bool End() {
    Frame done = std::move(frames_.back());
    frames_.pop_back();
    return Put(done.is_object ? Value(std::move(done.object)) : Value(std::move(done.list)));
  }
  bool Put(Value value) {
    places_.emplace(Here(), Offset());
    if (frames_.empty()) {
      result_ = std::move(value);
      return true;
    }
    Frame& frame = frames_.back();
    if (!frame.is_object) {
      frame.list.push_back(std::move(value));
    } else if (!frame.drop) {
      frame.object.emplace_back(frame.key, std::move(value));
    }
    return true;
  }

  const char* at_;
  const std::string& text_;
  Faults& faults_;
  std::vector<Frame> frames_;
  Places places_;
  Value result_;
};

}  // namespace

std::optional<Value> ParseJson(const std::string& text, Faults& faults) {
  // The parser takes one for the end, and ignores what follows.
  if (const size_t nul = text.find('\0'); nul != std::string::npos) {
    faults.Add(LineAndColumn(text, nul), "broken JSON: a NUL byte stands here; a graph is text without one");
    return std::nullopt;
  }
  Builder builder(text, faults);
  const bool whole = builder.Parse();
  if (!whole) return std::nullopt;
  faults.set_places(std::move(builder.places()));
  return std::move(builder.result());
}

Value JsonOrString(const std::string& text) {
  Faults ignored("");
  std::optional<Value> value = ParseJson(text, ignored);
  return value && ignored.size() == 0 ? *std::move(value) : Value(text);
}

std::string Indented(const Value& value) {
  return nlohmann::ordered_json::parse(value.ToJson()).dump(2) + "\n";
}

}  // namespace flowtrain::config
