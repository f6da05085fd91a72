// How many times longer than usual a limit in seconds may take: sanitizers slow the code down.
#pragma once

namespace flowtrain::testing {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr double kPatience = 5;
#else
inline constexpr double kPatience = 1;
#endif

}  // namespace flowtrain::testing
