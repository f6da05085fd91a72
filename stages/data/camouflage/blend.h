// Hides one texture in another.
#pragma once

#include "stages/data/camouflage/plane.h"

namespace flowtrain::data::camouflage {

// The background with the object where alpha is 1. The object's values are first mapped by rank
// onto the background's, so that they have one histogram; the mix keeps the contrast where both are
// halfway, which plain interpolation would lower, drawing a rim around the object.
Plane Hidden(const Plane& background, Plane object, const Plane& alpha);

}  // namespace flowtrain::data::camouflage
