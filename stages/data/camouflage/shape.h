// The outline of the hidden object.
#pragma once

#include <flowtrain/rng.h>

#include "stages/data/camouflage/plane.h"

namespace flowtrain::data::camouflage {

// size x size, 0 outside to 1 inside, softened by 1.5 pixels: a lobed blob, stretched and turned,
// its centre anywhere but at the very edge, so that the frame may cut it. 6 to 25% of the frame
// lies inside.
Plane ObjectAlpha(Rng& rng, int size);

}  // namespace flowtrain::data::camouflage
