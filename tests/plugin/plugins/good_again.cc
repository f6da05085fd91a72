// The same plugin, another version, in a folder that is searched later.
#include <flowtrain/stage.h>

FLOWTRAIN_PLUGIN("good", "9.9", r) { (void)r; }
