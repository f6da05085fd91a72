// How C++ types map to parameter kinds, both ways. A detail of declaration.h: authors need it only for
// a parameter type of their own, which they don't: structs declare fields, variants are one_of.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include <flowtrain/error.h>
#include <flowtrain/parameter.h>

namespace flowtrain {

template <class P>
class Fields;

namespace binder {

template <class T>
struct Binder;

template <class T>
std::vector<ParamSpec> FieldsOf();

template <class T>
void BindFields(T& target, const Value& value) {
  for (const ParamSpec& spec : FieldsOf<T>()) {
    if (const Value* member = value.Find(spec.name)) spec.bind(&target, *member);
  }
}

template <>
struct Binder<bool> {
  static TypeSpec Spec() { return {.kind = ParamKind::kBool}; }
  static void Bind(bool& t, const Value& v) { t = v.AsBool(); }
  static Value Read(bool t) { return t; }
};
template <class T>
  requires std::integral<T> && (!std::same_as<T, bool>)
struct Binder<T> {
  static TypeSpec Spec() {
    TypeSpec spec{.kind = ParamKind::kInteger};
    if constexpr (sizeof(T) < 8) {
      spec.least = static_cast<double>(std::numeric_limits<T>::min());
      spec.most = static_cast<double>(std::numeric_limits<T>::max());
    } else if constexpr (std::unsigned_integral<T>) {
      spec.least = 0;
    }
    return spec;
  }
  static void Bind(T& t, const Value& v) { t = static_cast<T>(v.AsInteger()); }
  static Value Read(T t) { return static_cast<int64_t>(t); }
};
template <std::floating_point T>
struct Binder<T> {
  static TypeSpec Spec() { return {.kind = ParamKind::kNumber}; }
  static void Bind(T& t, const Value& v) { t = static_cast<T>(v.AsNumber()); }
  static Value Read(T t) {
    if constexpr (std::same_as<T, float>) {
      // The shortest digits that give this float: 0.1f reads as 0.1, not 0.100000001490116.
      char digits[32];
      const auto end = std::to_chars(digits, digits + sizeof digits, t);
      double value = 0;
      std::from_chars(digits, end.ptr, value);
      return value;
    }
    return static_cast<double>(t);
  }
};
template <>
struct Binder<std::string> {
  static TypeSpec Spec() { return {.kind = ParamKind::kString}; }
  static void Bind(std::string& t, const Value& v) { t = v.AsString(); }
  static Value Read(const std::string& t) { return t; }
};
template <>
struct Binder<Path> {
  static TypeSpec Spec() { return {.kind = ParamKind::kPath}; }
  static void Bind(Path& t, const Value& v) { t.text = v.AsString(); }
  static Value Read(const Path& t) { return t.text; }
};
template <>
struct Binder<Bytes> {
  static TypeSpec Spec() { return {.kind = ParamKind::kBytes}; }
  static void Bind(Bytes& t, const Value& v) { t.value = static_cast<uint64_t>(v.AsInteger()); }
  static Value Read(const Bytes& t) { return static_cast<int64_t>(t.value); }
};
template <>
struct Binder<Duration> {
  static TypeSpec Spec() { return {.kind = ParamKind::kDuration}; }
  static void Bind(Duration& t, const Value& v) { t.seconds = v.AsNumber(); }
  static Value Read(const Duration& t) { return t.seconds; }
};
template <class T>
struct Binder<std::optional<T>> {
  static TypeSpec Spec() {
    TypeSpec spec = Binder<T>::Spec();
    spec.nullable = true;
    return spec;
  }
  static void Bind(std::optional<T>& t, const Value& v) {
    if (v.is_null()) return t.reset();
    Binder<T>::Bind(t.emplace(), v);
  }
  static Value Read(const std::optional<T>& t) { return t ? Binder<T>::Read(*t) : Value(); }
};
template <class T>
struct Binder<std::vector<T>> {
  static TypeSpec Spec() { return {.kind = ParamKind::kList, .element = {Binder<T>::Spec()}}; }
  static void Bind(std::vector<T>& t, const Value& v) {
    t.clear();
    for (const Value& element : v.AsList()) Binder<T>::Bind(t.emplace_back(), element);
  }
  static Value Read(const std::vector<T>& t) {
    Value::List list;
    for (const T& element : t) list.push_back(Binder<T>::Read(element));
    return list;
  }
};
template <class T, size_t N>
struct Binder<std::array<T, N>> {
  static TypeSpec Spec() {
    return {.kind = ParamKind::kList, .element = {Binder<T>::Spec()}, .min_size = N, .max_size = N};
  }
  static void Bind(std::array<T, N>& t, const Value& v) {
    for (size_t i = 0; i < N; ++i) Binder<T>::Bind(t[i], v.AsList().at(i));
  }
  static Value Read(const std::array<T, N>& t) {
    Value::List list;
    for (const T& element : t) list.push_back(Binder<T>::Read(element));
    return list;
  }
};
// Values by a name that the graph chooses.
template <class T>
struct Binder<std::map<std::string, T>> {
  static TypeSpec Spec() { return {.kind = ParamKind::kMap, .element = {Binder<T>::Spec()}}; }
  static void Bind(std::map<std::string, T>& t, const Value& v) {
    t.clear();
    for (const auto& [name, element] : v.AsObject()) Binder<T>::Bind(t[name], element);
  }
  static Value Read(const std::map<std::string, T>& t) {
    Value value{Value::Object{}};
    for (const auto& [name, element] : t) value.Set(name, Binder<T>::Read(element));
    return value;
  }
};
// A struct with `static void Declare(Fields<T>&)`.
template <class T>
  requires requires(Fields<T>& f) { T::Declare(f); }
struct Binder<T> {
  static TypeSpec Spec() { return {.kind = ParamKind::kStruct, .fields = FieldsOf<T>()}; }
  static void Bind(T& t, const Value& v) {
    t = T{};
    BindFields(t, v);
  }
  static Value Read(const T& t) {
    Value value{Value::Object{}};
    for (const ParamSpec& spec : FieldsOf<T>()) value.Set(spec.name, spec.read(&t));
    return value;
  }
};
// A variant of such structs; each has `static constexpr const char* kTag, *kHelp`, and the first one
// `kTagKey`, the member whose value chooses.
template <class First, class... Rest>
struct Binder<std::variant<First, Rest...>> {
  using V = std::variant<First, Rest...>;
  static TypeSpec Spec() {
    TypeSpec spec{.kind = ParamKind::kOneOf};
    spec.tag_key = First::kTagKey;
    spec.alternatives = {{First::kTag, First::kHelp, FieldsOf<First>()}, {Rest::kTag, Rest::kHelp, FieldsOf<Rest>()}...};
    return spec;
  }
  static void Bind(V& t, const Value& v) {
    const std::string& tag = v.At(First::kTagKey).AsString();
    if (!(Try<First>(t, tag, v) || ... || Try<Rest>(t, tag, v))) {
      throw Error("\"" + tag + "\" is no " + First::kTagKey);
    }
  }
  static Value Read(const V& t) {
    return std::visit(
        []<class T>(const T& alternative) {
          Value value{Value::Object{}};
          value.Set(First::kTagKey, T::kTag);
          const Value fields = Binder<T>::Read(alternative);
          for (const auto& [key, member] : fields.AsObject()) value.Set(key, member);
          return value;
        },
        t);
  }

 private:
  template <class T>
  static bool Try(V& t, const std::string& tag, const Value& v) {
    if (tag != T::kTag) return false;
    Binder<T>::Bind(t.template emplace<T>(), v);
    return true;
  }
};

}  // namespace binder
}  // namespace flowtrain
