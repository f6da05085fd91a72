#include "pipeline/config/allowed.h"

#include <cstdio>

#include "pipeline/config/nearest.h"

namespace flowtrain::config {
namespace {

std::string Number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string ListText(const ParamSpec& spec, const TypeSpec& type) {
  std::string size;
  if (type.min_size == type.max_size) {
    size = " of " + std::to_string(type.min_size) + " elements";
  } else if (type.max_size != SIZE_MAX) {
    size = " of " + std::to_string(type.min_size) + " to " + std::to_string(type.max_size) +
           " elements";
  } else if (type.min_size > 0) {
    size = " of at least " + std::to_string(type.min_size) + " elements";
  }
  return "a list" + size + ", each " + Allowed(spec, type.element[0]);
}

std::string OneOfText(const TypeSpec& type) {
  std::vector<std::string> tags;
  for (const Alternative& alternative : type.alternatives) tags.push_back(alternative.tag);
  return "an object whose \"" + type.tag_key + "\" is one of " + Quoted(tags);
}

std::string StructText(const TypeSpec& type) {
  std::vector<std::string> names;
  for (const ParamSpec& field : type.fields) names.push_back(field.name);
  return "an object with " + Quoted(names);
}

// Said only where the C++ type is narrower than what JSON can write and the author gave no range.
std::string LimitText(const TypeSpec& type) {
  if (type.most > 9e18) return type.least == 0 ? " of at least 0" : "";
  return " from " + Number(type.least) + " to " + Number(type.most);
}

std::string KindText(const ParamSpec& spec, const TypeSpec& type) {
  switch (type.kind) {
    case ParamKind::kBool:
      return "true or false";
    case ParamKind::kInteger:
      return "an integer" + (RangeText(spec).empty() ? LimitText(type) : RangeText(spec));
    case ParamKind::kNumber:
      return "a number" + RangeText(spec);
    case ParamKind::kString:
      return spec.provided_as.empty() ? "a string" : Quoted(spec.choices) + kOrProvided;
    case ParamKind::kEnum:
      return "one of " + Quoted(spec.choices);
    case ParamKind::kPath:
      return "a path";
    case ParamKind::kBytes:
      return "a size such as \"512 MiB\" (B, KiB, MiB, GiB, TiB) or a number of bytes" +
             RangeText(spec);
    case ParamKind::kDuration:
      return "a duration such as \"30 s\" (ms, s, min, h) or a number of seconds" + RangeText(spec);
    case ParamKind::kList:
      return ListText(spec, type);
    case ParamKind::kStruct:
      return StructText(type);
    case ParamKind::kOneOf:
      return OneOfText(type);
    case ParamKind::kMap:
      return std::string("an object, by ") + (spec.by_source ? "source" : "name") + ", each " +
             Allowed(spec, type.element[0]);
  }
  return "";
}

}  // namespace

std::string Allowed(const ParamSpec& spec, const TypeSpec& type) {
  return KindText(spec, type) + (type.nullable ? ", or null" : "");
}

std::string RangeText(const ParamSpec& spec) {
  if (!spec.min) return spec.max ? " of at most " + Number(*spec.max) : "";
  if (!spec.max) return (spec.min_exclusive ? " above " : " of at least ") + Number(*spec.min);
  if (spec.min_exclusive)
    return " above " + Number(*spec.min) + " and at most " + Number(*spec.max);
  return " from " + Number(*spec.min) + " to " + Number(*spec.max);
}

std::string Found(const Value& value) {
  constexpr size_t kLongest = 60;
  if (value.is_list() || value.is_object()) return value.KindName();
  const std::string text = value.ToJson();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...\"";
}

}  // namespace flowtrain::config
