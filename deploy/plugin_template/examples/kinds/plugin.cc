// One stage of each kind.
#include <flowtrain/stage.h>

#include "mean.h"
#include "stripes.h"
#include "to_float.h"
#include "unpack.h"
#include "window.h"

FLOWTRAIN_PLUGIN("kinds", "0.1", registrar) {
  registrar.Add<kinds::Stripes>();
  registrar.Add<kinds::Unpack>();
  registrar.Add<kinds::Window>();
  registrar.Add<kinds::ToFloat>();
  registrar.Add<kinds::Mean>();
}
