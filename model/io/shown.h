// Words of a file that is not trusted, as they may stand in a message on a terminal. Free
// functions.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

namespace flowtrain::model {

// Whether the byte at `i` begins a control character of ASCII or, in UTF-8, of Latin-1.
inline bool IsControl(std::string_view text, size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x20 || byte == 0x7f) return true;
  return byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
}

inline bool HasControl(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (IsControl(text, i)) return true;
  return false;
}

// Control characters as \xNN, and no more than the first 80 bytes, cut between two characters.
inline std::string Shown(std::string_view text) {
  constexpr size_t kMost = 80;
  size_t end = std::min(text.size(), kMost);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  std::string shown;
  for (size_t i = 0; i < end; ++i) {
    if (!IsControl(text, i)) {
      shown += text[i];
      continue;
    }
    for (const size_t after = i + (static_cast<unsigned char>(text[i]) == 0xc2 ? 2 : 1); i < after;
         ++i) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[i]));
      shown += escaped;
    }
    --i;
  }
  return end < text.size() ? shown + "..." : shown;
}

}  // namespace flowtrain::model
