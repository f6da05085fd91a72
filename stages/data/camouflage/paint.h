// From a plane of texture to a picture: light, blotches and colours that know nothing of the
// object.
#pragma once

#include <flowtrain/rng.h>

#include <cstdint>
#include <vector>

#include "stages/data/camouflage/plane.h"

namespace flowtrain::data::camouflage {

// RGB, interleaved.
std::vector<uint8_t> Painted(Rng& rng, const Plane& texture);

}  // namespace flowtrain::data::camouflage
