#include <flowtrain/stage.h>

#include "stages/image/augment.h"
#include "stages/image/decode.h"

FLOWTRAIN_PLUGIN("image", "0.1", registrar) {
  registrar.Add<flowtrain::image::Decode>();
  registrar.Add<flowtrain::image::Augment>();
}
