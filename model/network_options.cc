#include "model/network_options.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace flowtrain::model {
namespace {

template <typename Names>
std::string Quoted(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text.empty() ? "none" : text;
}

template <typename Given>
void RefuseUnreadOf(const char* kind, const Given& given, const std::set<std::string>& read) {
  for (const auto& [name, value] : given) {
    if (read.contains(name)) continue;
    throw BadOption(
        std::string(kind) + "/" + name,
        "\"" + name + "\" is not among this network's " + kind + "; allowed: " + Quoted(read));
  }
}

}  // namespace

double NetworkOptions::Number(const std::string& name, double otherwise, double least,
                              double most) {
  read_numbers_.insert(name);
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return otherwise;
  if (found->second >= least && found->second <= most) return found->second;
  std::ostringstream why;
  why << found->second << " is out of range: expected a number from " << least << " to " << most;
  throw BadOption("options/" + name, why.str());
}

int64_t NetworkOptions::Integer(const std::string& name, int64_t otherwise, int64_t least,
                                int64_t most) {
  read_numbers_.insert(name);
  if (!numbers_.contains(name)) return otherwise;
  const double number = Number(name, 0, static_cast<double>(least), static_cast<double>(most));
  // 2^63 as a double is the first number that int64_t lacks.
  if (number == std::floor(number) && number >= -0x1p63 && number < 0x1p63) return static_cast<int64_t>(number);
  std::ostringstream why;
  why << "expected an integer, found " << number;
  throw BadOption("options/" + name, why.str());
}

const std::string& NetworkOptions::Choice(const std::string& name,
                                          const std::vector<std::string>& allowed) {
  read_words_.insert(name);
  const std::string& word = words_.try_emplace(name, allowed.at(0)).first->second;
  if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return word;
  throw BadOption("choices/" + name, "\"" + word + "\" is no choice; allowed: " + Quoted(allowed));
}

void NetworkOptions::RefuseUnread() const {
  RefuseUnreadOf("options", numbers_, read_numbers_);
  RefuseUnreadOf("choices", words_, read_words_);
}

}  // namespace flowtrain::model
