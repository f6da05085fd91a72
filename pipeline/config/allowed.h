// In words: what a parameter takes, and what was found instead. For messages and `flowtrain
// describe`.
#pragma once

#include <flowtrain/parameter.h>

#include <string>

namespace flowtrain::config {

// "an integer from 1 to 65536", `one of "drop", "pad"`, "a list of 2 integers of at least 1".
// `type` is the parameter's type or, inside a list, its element's.
std::string Allowed(const ParamSpec& spec, const TypeSpec& type);
inline std::string Allowed(const ParamSpec& spec) { return Allowed(spec, spec.type); }

// After the names that need no plugin, of a string that is provided.
inline constexpr char kOrProvided[] = ", or <plugin>.<name>, which a plugin provides";

// " from 1 to 65536", " above 0"; empty where there is no bound.
std::string RangeText(const ParamSpec& spec);

// A scalar as it is written, "a list", "an object".
std::string Found(const Value& value);

}  // namespace flowtrain::config
