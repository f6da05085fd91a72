// JSON text with // comments -> Value. The only place that sees the JSON library.
#pragma once

#include <flowtrain/value.h>

#include <optional>
#include <string>

#include "pipeline/config/faults.h"

namespace flowtrain::config {

// The text's value. Broken JSON: one fault with line and column, and nothing. A key that stands
// twice in an object: a fault with its line and column; the first one counts.
std::optional<Value> ParseJson(const std::string& text, Faults& faults);

// The value of `text` where it is JSON, otherwise `text` itself: what a --set gives.
Value JsonOrString(const std::string& text);

// JSON text over several lines, for people; with a line's end.
std::string Indented(const Value& value);

}  // namespace flowtrain::config
