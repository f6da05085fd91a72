// Sources that lead into another source: what may be set of them, and of the one that draws from them.
// Main thread.
#pragma once

#include <vector>

#include "pipeline/config/links.h"

namespace flowtrain::config {

// Also takes from the sources that lead into others what the framework adds to a source: order, threads
// and read-ahead are those of the one that draws from them.
void CheckUpstream(std::vector<StageEntry>& entries, const Links& links, Faults& faults);

}  // namespace flowtrain::config
