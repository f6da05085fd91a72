// Where the limits of this process' cgroups (version 2) stand.
#pragma once

#include <string>
#include <vector>

namespace flowtrain::memory {

// Its own one's folder first, then each that holds it, the root last; empty: there are none. `root`: where
// /proc and /sys are looked for (tests).
std::vector<std::string> CgroupFolders(const std::string& root = "");

}  // namespace flowtrain::memory
