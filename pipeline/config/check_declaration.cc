#include "pipeline/config/check_declaration.h"

#include "pipeline/config/allowed.h"
#include "pipeline/config/check_params.h"

namespace flowtrain::config {
namespace {

std::string FieldsFault(const std::vector<ParamSpec>& params, const std::string& outer);

std::string TypeFault(const ParamSpec& spec, const TypeSpec& type) {
  if (type.kind == ParamKind::kEnum && spec.choices.empty()) return "has no choices";
  if (type.min_size > type.max_size) {
    return "has sizes from " + std::to_string(type.min_size) + " to " + std::to_string(type.max_size) +
           ": the wrong way round";
  }
  for (const TypeSpec& element : type.element) {
    if (std::string fault = TypeFault(spec, element); !fault.empty()) return fault;
  }
  return "";
}

// Of the fields of structs, and of what is chosen among.
std::string InnerFault(const TypeSpec& type, const std::string& name) {
  if (std::string fault = FieldsFault(type.fields, name + "/"); !fault.empty()) return fault;
  for (const Alternative& alternative : type.alternatives) {
    std::string fault = FieldsFault(alternative.fields, name + "/" + alternative.tag + "/");
    if (!fault.empty()) return fault;
  }
  for (const TypeSpec& element : type.element) {
    if (std::string fault = InnerFault(element, name); !fault.empty()) return fault;
  }
  return "";
}

std::string RangeFault(const ParamSpec& spec) {
  if (!spec.min || !spec.max) return "";
  const bool empty = spec.min_exclusive ? *spec.min >= *spec.max : *spec.min > *spec.max;
  return empty ? "has a range" + RangeText(spec) + ": the wrong way round" : "";
}

// A default stands in where nothing is written, so it has to be what a graph could write. Of a required
// parameter it never does.
std::string DefaultFault(const ParamSpec& spec, const Value& value) {
  if (spec.required || value.is_null()) return "";
  if (spec.type.kind == ParamKind::kStruct) {
    for (const ParamSpec& field : spec.type.fields) {
      const Value* member = value.Find(field.name);
      std::string fault = member ? DefaultFault(field, *member) : "";
      if (!fault.empty()) return "has a field \"" + field.name + "\" that " + fault;
    }
    return "";
  }
  Faults faults("");
  Value written{Value::Object{}};
  written.Set(spec.name, value);
  CheckParams({spec}, written, "", {}, faults);
  try {
    faults.ThrowIfAny();
  } catch (const GraphError& error) {
    return "refuses its own default: " + error.faults()[0].message;
  }
  return "";
}

std::string FieldsFault(const std::vector<ParamSpec>& params, const std::string& outer) {
  for (const ParamSpec& spec : params) {
    const std::string name = outer + spec.name;
    std::string fault = IsLowerSnake(spec.name) ? "" : kLowerSnakeRule;
    if (fault.empty()) fault = RangeFault(spec);
    if (fault.empty()) fault = TypeFault(spec, spec.type);
    if (!fault.empty()) return "the parameter \"" + name + "\" " + fault;
    if (std::string inner = InnerFault(spec.type, name); !inner.empty()) return inner;
    if (fault = DefaultFault(spec, spec.default_value); !fault.empty()) return "the parameter \"" + name + "\" " + fault;
  }
  return "";
}

}  // namespace

bool IsLowerSnake(std::string_view name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

std::string DeclarationFault(const std::vector<ParamSpec>& params) { return FieldsFault(params, ""); }

}  // namespace flowtrain::config
