// Throws what no handler of exceptions expects.
#include <flowtrain/stage.h>

FLOWTRAIN_PLUGIN("throws_int", "1.0", r) {
  (void)r;
  throw 5;
}
