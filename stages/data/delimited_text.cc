#include "stages/data/delimited_text.h"

namespace flowtrain::data {

std::string DelimitedField(std::string_view field, char delimiter) {
  const char special[] = {delimiter, '"', '\r', '\n'};
  if (field.find_first_of(std::string_view(special, sizeof special)) == field.npos) {
    return std::string(field);
  }
  std::string out = "\"";
  for (const char c : field) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace flowtrain::data
