// JSON Pointers (RFC 6901). Pure functions.
#pragma once

#include <flowtrain/value.h>

#include <string>
#include <vector>

namespace flowtrain::config {

// `pointer` with one more step, escaped.
std::string Join(const std::string& pointer, const std::string& step);
std::string Join(const std::string& pointer, size_t index);

// The unescaped steps of a pointer. False: it does not start with "/" or has a bad escape.
bool Split(const std::string& pointer, std::vector<std::string>& steps);

}  // namespace flowtrain::config
