// How much memory this process may still take: the least of what the machine has free, what its
// cgroups leave and what ulimit -v does.
#pragma once

#include <cstdint>
#include <string>

namespace flowtrain::memory {

// Bytes. `root`: where /proc and /sys are looked for (tests).
uint64_t FreeMemory(const std::string& root = "");

}  // namespace flowtrain::memory
