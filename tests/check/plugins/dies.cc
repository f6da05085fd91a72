// Crashes while it is loaded.
#include <csignal>

#include "invert.h"

namespace {
const int kDead = std::raise(SIGSEGV);
}  // namespace

FLOWTRAIN_PLUGIN("dies", "1.0", r) { (void)r, (void)kDead; }
