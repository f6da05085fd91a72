// Parameters' declarations as parts of a JSON Schema. Pure functions.
#pragma once

#include <flowtrain/parameter.h>

#include <string>
#include <vector>

namespace flowtrain::config {

// Under "$defs" of the whole: a string whose ${...} are well formed, and one that has one: its
// value is known only when the graph is loaded.
Value TextSchema();
Value ReferenceSchema();
// {"anyOf": [`schema`, a reference]}: for strings of which only some are allowed.
Value OrReference(Value schema);

// An object with `specs` and nothing else but `beside` (name, schema), which must all be there.
Value ObjectSchema(const std::vector<ParamSpec>& specs, Value::Object beside);

// {"if": the member `key` is `value`, "then": `schema`}
Value Where(const std::string& key, const std::string& value, Value schema);

}  // namespace flowtrain::config
