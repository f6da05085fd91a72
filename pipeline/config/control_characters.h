// Characters that steer a terminal, in text that may hold any: a graph's strings, a file's name. Free
// function.
#pragma once

#include <cstddef>
#include <string_view>

namespace flowtrain::config {

// The bytes of the control character that stands at `i`: one of ASCII, two of Latin-1 in UTF-8 (to a
// terminal U+009B is what ESC [ is). 0: another character does.
inline size_t ControlBytes(std::string_view text, size_t i) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(i) < 0x20 || byte(i) == 0x7f) return 1;
  const bool latin = byte(i) == 0xC2 && i + 1 < text.size() && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0;
  return latin ? 2 : 0;
}

}  // namespace flowtrain::config
