#include "stages/data/json_line.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

constexpr int kMostNesting = 64;       // of what is skipped: no stack to overflow
constexpr size_t kMostMembers = 1000;  // each key is compared with those before it

void AppendUtf8(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr uint8_t kFirst[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kFirst[more] | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<JsonMember> Object() {
    std::vector<JsonMember> members;
    if (Peek() != '{') Fail("an object was expected: {\"image\": ...}");
    Members('}', [&] {
      JsonMember member;
      member.key = Key();
      const bool known = std::any_of(members.begin(), members.end(), [&](const JsonMember& other) {
        return other.key == member.key;
      });
      if (known) Fail("the key " + Quoted(member.key) + " stands twice");
      if (members.size() == kMostMembers) Fail("it has more than 1000 members");
      Value(member, 1);
      members.push_back(std::move(member));
    });
    if (Peek() != '\0' || at_ != text_.size()) Fail("something follows the object");
    return members;
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const {
    throw std::runtime_error(why + " (byte " + std::to_string(at_ + 1) + ")");
  }
  char At(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  char Peek() {
    while (At(at_) == ' ' || At(at_) == '\t' || At(at_) == '\r' || At(at_) == '\n') ++at_;
    return At(at_);
  }

  // What stands between brackets, parted by commas.
  template <class Each>
  void Members(char close, Each each) {
    ++at_;
    if (Peek() == close) {
      ++at_;
      return;
    }
    for (;;) {
      each();
      const char next = Peek();
      if (next != ',' && next != close) Fail(std::string("a comma or ") + close + " was expected");
      ++at_;
      if (next == close) return;
    }
  }

  std::string Key() {
    if (Peek() != '"') Fail("a key in quotes was expected");
    std::string key = String();
    if (Peek() != ':') Fail("a colon was expected");
    ++at_;
    return key;
  }

  void Value(JsonMember& member, int depth) {
    if (depth > kMostNesting) Fail("it is nested too deeply");
    const char first = Peek();
    JsonMember inner;
    if (first == '"') {
      member.kind = JsonMember::kString;
      member.text = String();
    } else if (first == '{') {
      Members('}', [&] {
        Key();
        Value(inner, depth + 1);
      });
    } else if (first == '[') {
      Members(']', [&] { Value(inner, depth + 1); });
    } else if (first == '-' || (first >= '0' && first <= '9')) {
      Number(member);
    } else if (!Word("true") && !Word("false") && !Word("null")) {
      Fail("a value was expected");
    }
  }

  bool Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool Digits() {
    const size_t begin = at_;
    while (At(at_) >= '0' && At(at_) <= '9') ++at_;
    return at_ > begin;
  }

  void Number(JsonMember& member) {
    const size_t begin = at_;
    if (At(at_) == '-') ++at_;
    const bool zero = At(at_) == '0';
    const size_t first = at_;
    if (!Digits() || (zero && at_ > first + 1)) Fail("that is no number");
    if (At(at_) == '.') {
      ++at_;
      if (!Digits()) Fail("that is no number");
    }
    if (At(at_) == 'e' || At(at_) == 'E') {
      ++at_;
      if (At(at_) == '+' || At(at_) == '-') ++at_;
      if (!Digits()) Fail("that is no number");
    }
    member.kind = JsonMember::kNumber;
    member.text = text_.substr(begin, at_ - begin);
  }

  uint32_t Hex4() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = At(at_);
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) Fail("four hexadecimal digits were expected");
      value = value * 16 + static_cast<uint32_t>(digit);
    }
    return value;
  }

  void Unicode(std::string& out) {
    uint32_t c = Hex4();
    if (c >= 0xD800 && c <= 0xDBFF) {
      if (!Word("\\u")) Fail("half a surrogate pair");
      const uint32_t low = Hex4();
      if (low < 0xDC00 || low > 0xDFFF) Fail("half a surrogate pair");
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c >= 0xDC00 && c <= 0xDFFF) {
      Fail("half a surrogate pair");
    }
    AppendUtf8(c, out);
  }

  std::string String() {
    std::string out;
    for (++at_;;) {
      if (at_ == text_.size()) Fail("a string is never closed");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) Fail("a control character in a string");
      if (c != '\\') {
        out += c;
        continue;
      }
      constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
      const char escape = At(at_);
      const size_t known = escape == '\0' ? kEscapes.npos : kEscapes.find(escape);
      if (escape != 'u' && known == kEscapes.npos) Fail("an escape that JSON doesn't know");
      ++at_;
      if (escape == 'u') {
        Unicode(out);
      } else {
        out += kMeant[known];
      }
    }
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<JsonMember> ParseJsonObject(std::string_view line) { return Parser(line).Object(); }

}  // namespace flowtrain::data
