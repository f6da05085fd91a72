#include "pipeline/config/schema_types.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace flowtrain::config {
namespace {

using Object = Value::Object;
using List = Value::List;

constexpr const char* kPathPattern = "^([^~]|~[^/]|$)";
constexpr const char* kBytesPattern = "^([0-9]+\\.?[0-9]*|\\.[0-9]+) *(B|KiB|MiB|GiB|TiB)$";
constexpr const char* kDurationPattern = "^([0-9]+\\.?[0-9]*|\\.[0-9]+) *(ms|s|min|h)$";

Value Number(double value) {
  constexpr double kExact = 0x1p53;
  if (value != std::floor(value) || std::abs(value) > kExact) return value;
  return static_cast<int64_t>(value);
}

Value Names(const std::vector<std::string>& names) { return List(names.begin(), names.end()); }

// The bounds of a number that is `least` or more, as far as its C++ type goes.
void AddRange(const ParamSpec& spec, std::optional<double> least, Object& schema) {
  if (spec.min && (!least || *spec.min >= *least)) {
    schema.emplace_back(spec.min_exclusive ? "exclusiveMinimum" : "minimum", Number(*spec.min));
  } else if (least) {
    schema.emplace_back("minimum", Number(*least));
  }
  if (spec.max) schema.emplace_back("maximum", Number(*spec.max));
}

Value IntegerSchema(const ParamSpec& spec, const TypeSpec& type) {
  constexpr double kNarrow = 9e18;  // within: the member has fewer than 64 bits, or no sign
  Object schema{{"type", "integer"}};
  if (type.least > -kNarrow) {
    AddRange(spec, type.least, schema);
  } else {
    AddRange(spec, std::nullopt, schema);
    if (!spec.min) schema.emplace_back("minimum", std::numeric_limits<int64_t>::min());
  }
  if (spec.max) return schema;
  schema.emplace_back("maximum", type.most < kNarrow ? Number(type.most)
                                                     : Value(std::numeric_limits<int64_t>::max()));
  return schema;
}

Value AmountSchema(const ParamSpec& spec, const char* number, const char* pattern) {
  Object plain{{"type", number}};
  AddRange(spec, 0.0, plain);
  if (plain.back().first != "maximum" && std::string(number) == "integer")
    plain.emplace_back("maximum", std::numeric_limits<int64_t>::max());
  return Object{{"anyOf", List{std::move(plain), Object{{"type", "string"}, {"pattern", pattern}},
                               ReferenceSchema()}}};
}

Value TypeSchema(const ParamSpec& spec, const TypeSpec& type);

Value ListSchema(const ParamSpec& spec, const TypeSpec& type) {
  Object schema{{"type", "array"}, {"items", TypeSchema(spec, type.element.at(0))}};
  if (type.min_size > 0) schema.emplace_back("minItems", static_cast<int64_t>(type.min_size));
  if (type.max_size != SIZE_MAX)
    schema.emplace_back("maxItems", static_cast<int64_t>(type.max_size));
  return schema;
}

Value OneOfSchema(const TypeSpec& type) {
  List tags, cases;
  for (const Alternative& alternative : type.alternatives) {
    tags.emplace_back(alternative.tag);
    const Value tag = Object{{"const", alternative.tag}};
    Value schema = ObjectSchema(alternative.fields, {{type.tag_key, tag}});
    schema.Set("description", alternative.help);
    cases.push_back(Where(type.tag_key, alternative.tag, std::move(schema)));
  }
  return Object{
      {"type", "object"},
      {"properties", Object{{type.tag_key, OrReference(Object{{"enum", std::move(tags)}})}}},
      {"required", List{type.tag_key}},
      {"allOf", std::move(cases)}};
}

// Whether a plugin is there is not for a schema to say.
Value ProvidedSchema(const ParamSpec& spec) {
  return Object{{"anyOf", List{Object{{"enum", Names(spec.choices)}},
                               Object{{"type", "string"}, {"pattern", "\\."}}, ReferenceSchema()}}};
}

Value KindSchema(const ParamSpec& spec, const TypeSpec& type) {
  switch (type.kind) {
    case ParamKind::kBool:
      return Object{{"type", "boolean"}};
    case ParamKind::kInteger:
      return IntegerSchema(spec, type);
    case ParamKind::kNumber: {
      Object schema{{"type", "number"}};
      AddRange(spec, std::nullopt, schema);
      return schema;
    }
    case ParamKind::kString:
      if (!spec.provided_as.empty()) return ProvidedSchema(spec);
      return Object{{"$ref", "#/$defs/text"}};
    case ParamKind::kPath:
      return Object{{"$ref", "#/$defs/text"}, {"pattern", kPathPattern}};
    case ParamKind::kEnum:
      return OrReference(Object{{"enum", Names(spec.choices)}});
    case ParamKind::kBytes:
      return AmountSchema(spec, "integer", kBytesPattern);
    case ParamKind::kDuration:
      return AmountSchema(spec, "number", kDurationPattern);
    case ParamKind::kList:
      return ListSchema(spec, type);
    case ParamKind::kStruct:
      return ObjectSchema(type.fields, {});
    case ParamKind::kOneOf:
      return OneOfSchema(type);
    case ParamKind::kMap:
      return Object{{"type", "object"}, {"additionalProperties", TypeSchema(spec, type.element.at(0))}};
  }
  return Object{};
}

Value TypeSchema(const ParamSpec& spec, const TypeSpec& type) {
  Value schema = KindSchema(spec, type);
  if (!type.nullable) return schema;
  return Object{{"anyOf", List{std::move(schema), Object{{"type", "null"}}}}};
}

Value ParamSchema(const ParamSpec& spec) {
  static constexpr const char* kEffects[] = {"data", "training", "runtime"};
  std::string help = spec.help + (spec.help.ends_with('.') ? "" : ".");
  if (!spec.unit.empty()) help += " In " + spec.unit + ".";
  help += std::string(" Affects ") + kEffects[static_cast<size_t>(spec.effect)] + ".";
  Value schema = Object{{"description", std::move(help)}};
  const Value type = TypeSchema(spec, spec.type);
  for (const auto& [key, member] : type.AsObject()) schema.Set(key, member);
  if (!spec.required) schema.Set("default", spec.default_value);
  return schema;
}

// A struct that is left out may still have a field that must be given.
bool MustBeGiven(const ParamSpec& spec) {
  if (spec.required) return true;
  if (spec.type.kind != ParamKind::kStruct || spec.type.nullable) return false;
  return std::any_of(spec.type.fields.begin(), spec.type.fields.end(), MustBeGiven);
}

Value Required(const std::vector<std::string>& names) { return Object{{"required", Names(names)}}; }

// One of its names must be there where it must be given; two never may.
void AddNames(const ParamSpec& spec, Object& properties, List& required, List& rules) {
  std::vector<std::string> names = {spec.name};
  for (const OldName& old : spec.old_names) {
    Value schema = ParamSchema(spec);
    schema.Set("description", "Renamed to \"" + spec.name + "\"" +
                                  (old.gone_in.empty() ? "." : "; goes in " + old.gone_in + "."));
    schema.Set("deprecated", true);
    properties.emplace_back(old.name, std::move(schema));
    for (const std::string& other : names)
      rules.emplace_back(Object{{"not", Required({other, old.name})}});
    names.push_back(old.name);
  }
  if (!MustBeGiven(spec)) return;
  if (names.size() == 1) {
    required.emplace_back(spec.name);
    return;
  }
  List any;
  for (const std::string& name : names) any.push_back(Required({name}));
  rules.emplace_back(Object{{"anyOf", std::move(any)}});
}

}  // namespace

Value TextSchema() {
  return Object{{"type", "string"},
                {"pattern", "^([^$]|\\$(?!\\{)|\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\})*$"}};
}

Value ReferenceSchema() { return Object{{"$ref", "#/$defs/reference"}}; }

Value OrReference(Value schema) {
  return Object{{"anyOf", List{std::move(schema), ReferenceSchema()}}};
}

Value ObjectSchema(const std::vector<ParamSpec>& specs, Object beside) {
  List required, rules;
  for (const auto& [name, schema] : beside) required.emplace_back(name);
  for (const ParamSpec& spec : specs) {
    beside.emplace_back(spec.name, ParamSchema(spec));
    AddNames(spec, beside, required, rules);
  }
  Object schema{{"type", "object"}, {"properties", std::move(beside)}};
  if (!required.empty()) schema.emplace_back("required", std::move(required));
  if (!rules.empty()) schema.emplace_back("allOf", std::move(rules));
  schema.emplace_back("additionalProperties", false);
  return schema;
}

Value Where(const std::string& key, const std::string& value, Value schema) {
  return Object{{"if", Object{{"properties", Object{{key, Object{{"const", value}}}}},
                              {"required", List{key}}}},
                {"then", std::move(schema)}};
}

}  // namespace flowtrain::config
