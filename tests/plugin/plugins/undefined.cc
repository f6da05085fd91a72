// Calls a function that nobody has.
#include <flowtrain/stage.h>

extern "C" void FunctionThatNobodyHas();

FLOWTRAIN_PLUGIN("undefined", "1.0", r) {
  (void)r;
  FunctionThatNobodyHas();
}
