#include <flowtrain/value.h>

#include <cmath>
#include <cstdio>
#include <charconv>

#include <flowtrain/error.h>

namespace flowtrain {
namespace {

[[noreturn]] void Mismatch(const char* wanted, const Value& found) {
  throw Error(std::string("expected ") + wanted + ", found " + found.KindName());
}

// How many bytes the UTF-8 character at `at` has; 0: there is none (RFC 3629: no overlong form, no
// surrogate, nothing past U+10FFFF).
size_t CharacterAt(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned low = 0x80, high = 0xBF;  // of the second byte
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (byte(at + 1) < low || byte(at + 1) > high) return 0;
  for (size_t i = 2; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

void AppendString(const std::string& text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t size = CharacterAt(text, i);
    if (size != 1) {
      // JSON is UTF-8: a file's name need not be. U+FFFD stands for what is no character.
      out += size == 0 ? std::string("\xEF\xBF\xBD") : text.substr(i, size);
      i += size == 0 ? 1 : size;
      continue;
    }
    const char c = text[i++];
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          char escaped[8];
          std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
          out += escaped;
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void Append(const Value& value, std::string& out) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.AsBool() ? "true" : "false";
  } else if (value.is_integer()) {
    out += std::to_string(value.AsInteger());
  } else if (value.is_number()) {
    const double number = value.AsNumber();
    if (!std::isfinite(number)) {
      out += "null";
      return;
    }
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, number);
    std::string digits(text, end.ptr);
    // "1" would read back as an integer.
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    out += digits;
  } else if (value.is_string()) {
    AppendString(value.AsString(), out);
  } else if (value.is_list()) {
    out += '[';
    for (size_t i = 0; i < value.AsList().size(); ++i) {
      if (i > 0) out += ',';
      Append(value.AsList()[i], out);
    }
    out += ']';
  } else {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : value.AsObject()) {
      if (!first) out += ',';
      first = false;
      AppendString(key, out);
      out += ':';
      Append(member, out);
    }
    out += '}';
  }
}

}  // namespace

bool Value::AsBool() const {
  if (!is_bool()) Mismatch("a boolean", *this);
  return std::get<bool>(v_);
}

int64_t Value::AsInteger() const {
  if (!is_integer()) Mismatch("an integer", *this);
  return std::get<int64_t>(v_);
}

double Value::AsNumber() const {
  if (is_integer()) return static_cast<double>(std::get<int64_t>(v_));
  if (!is_number()) Mismatch("a number", *this);
  return std::get<double>(v_);
}

const std::string& Value::AsString() const {
  if (!is_string()) Mismatch("a string", *this);
  return std::get<std::string>(v_);
}

const Value::List& Value::AsList() const {
  if (!is_list()) Mismatch("a list", *this);
  return std::get<List>(v_);
}

const Value::Object& Value::AsObject() const {
  if (!is_object()) Mismatch("an object", *this);
  return std::get<Object>(v_);
}

const Value* Value::Find(const std::string& key) const {
  if (!is_object()) return nullptr;
  for (const auto& [name, member] : std::get<Object>(v_)) {
    if (name == key) return &member;
  }
  return nullptr;
}

Value* Value::Find(const std::string& key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->Find(key));
}

const Value& Value::At(const std::string& key) const {
  if (const Value* member = Find(key)) return *member;
  throw Error("there is no \"" + key + "\"");
}

void Value::Set(const std::string& key, Value value) {
  if (is_null()) v_ = Object{};
  if (!is_object()) Mismatch("an object", *this);
  if (Value* member = Find(key)) {
    *member = std::move(value);
  } else {
    std::get<Object>(v_).emplace_back(key, std::move(value));
  }
}

const char* Value::KindName() const {
  if (is_null()) return "null";
  if (is_bool()) return "a boolean";
  if (is_integer()) return "an integer";
  if (is_number()) return "a number";
  if (is_string()) return "a string";
  return is_list() ? "a list" : "an object";
}

std::string Value::ToJson() const {
  std::string out;
  Append(*this, out);
  return out;
}

}  // namespace flowtrain
