// Ends the process while it is loaded, as if all were well.
#include <cstdlib>

#include "invert.h"

namespace {
const int kGone = (std::exit(0), 0);
}  // namespace

FLOWTRAIN_PLUGIN("exits", "1.0", r) { (void)r, (void)kGone; }
