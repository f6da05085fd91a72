// A JSON-like value: parameters as they come from a graph file, checkpoint state, metric records.
// A plain value type without a third-party parser behind it, so that plugins need none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <flowtrain/export.h>

namespace flowtrain {

class FLOWTRAIN_API Value {
 public:
  using List = std::vector<Value>;
  // Keys in the order they were written; keys are unique.
  using Object = std::vector<std::pair<std::string, Value>>;

  Value() = default;  // null
  Value(bool v) : v_(v) {}
  Value(int v) : v_(static_cast<int64_t>(v)) {}
  Value(unsigned v) : v_(static_cast<int64_t>(v)) {}
  Value(long v) : v_(static_cast<int64_t>(v)) {}
  Value(long long v) : v_(static_cast<int64_t>(v)) {}
  Value(unsigned long v) : v_(static_cast<int64_t>(v)) {}
  Value(double v) : v_(v) {}
  Value(const char* v) : v_(std::string(v)) {}
  Value(std::string v) : v_(std::move(v)) {}
  Value(List v) : v_(std::move(v)) {}
  Value(Object v) : v_(std::move(v)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(v_); }
  bool is_bool() const { return std::holds_alternative<bool>(v_); }
  bool is_integer() const { return std::holds_alternative<int64_t>(v_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(v_); }
  bool is_string() const { return std::holds_alternative<std::string>(v_); }
  bool is_list() const { return std::holds_alternative<List>(v_); }
  bool is_object() const { return std::holds_alternative<Object>(v_); }

  // Each throws Error, naming what was found, when the value is of another kind.
  bool AsBool() const;
  int64_t AsInteger() const;
  double AsNumber() const;  // an integer counts as a number
  const std::string& AsString() const;
  const List& AsList() const;
  const Object& AsObject() const;

  // The member `key` of an object, or null where there is none (or this is no object).
  const Value* Find(const std::string& key) const;
  Value* Find(const std::string& key);
  // The member `key`; throws Error naming the key where there is none.
  const Value& At(const std::string& key) const;
  // Sets or adds a member; a null value becomes an object first.
  void Set(const std::string& key, Value value);

  // "a boolean", "an integer", "a number", "a string", "a list", "an object", "null".
  const char* KindName() const;
  // Compact JSON. Doubles keep all digits; NaN and infinities become null, what is no UTF-8 U+FFFD.
  std::string ToJson() const;

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Object> v_;
};

}  // namespace flowtrain
