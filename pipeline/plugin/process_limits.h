// The limits of this process that make memory run out early. Plain function.
#pragma once

#include <string>

namespace flowtrain::plugin {

// "; ulimit -v is 500000 KiB", to follow what failed; empty: there is no such limit.
std::string MemoryLimit();

}  // namespace flowtrain::plugin
