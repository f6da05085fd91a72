// One JSON object, as a line of a JSON-lines file holds it. Strings are bytes: what is no UTF-8
// passes as it is, for paths are bytes. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flowtrain::data {

struct JsonMember {
  enum Kind : unsigned char { kString, kNumber, kOther } kind = kOther;
  std::string key;
  std::string text;  // of a string, its content; of a number, as it is written; else empty
};

// The object's members, in order; keys are unique. Throws std::runtime_error, saying what is wrong
// and at which byte of the line.
std::vector<JsonMember> ParseJsonObject(std::string_view line);

}  // namespace flowtrain::data
