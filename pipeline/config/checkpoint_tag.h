// How a checkpoint may be called: its tag is a folder's name. Said here for the store, for graphs, whose
// phases' names stand in tags, and for the schema.
#pragma once

#include <string>
#include <string_view>

namespace flowtrain::config {

inline constexpr size_t kLongestTag = 100;
// The checkpoint at a phase's end is "phase-NAME".
inline constexpr std::string_view kPhaseTag = "phase-";
inline constexpr size_t kLongestPhaseName = kLongestTag - kPhaseTag.size();

// Letters, digits, ".", "_" and "-", 1 to `longest` of them.
inline bool IsTagText(std::string_view text, size_t longest) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !text.empty() && text.size() <= longest && text.find_first_not_of(kAllowed) == text.npos;
}
// The same as a regular expression.
inline std::string TagPattern(size_t longest) {
  return "^[A-Za-z0-9._-]{1," + std::to_string(longest) + "}$";
}

}  // namespace flowtrain::config
