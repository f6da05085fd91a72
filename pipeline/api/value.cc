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

void AppendString(const std::string& text, std::string& out) {
  out += '"';
  for (const char c : text) {
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
