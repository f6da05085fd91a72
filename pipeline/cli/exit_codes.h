// What a command exits with, besides 0 and 128 + the signal that ended it.
#pragma once

namespace flowtrain::cli {

inline constexpr int kFailed = 1;                // what was asked for went wrong
inline constexpr int kUsage = 2, kBadGraph = 2;  // it was asked for wrongly, or by a wrong graph

}  // namespace flowtrain::cli
