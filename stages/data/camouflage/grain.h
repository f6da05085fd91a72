// A texture of streaks that run in one direction: what background and object are made of.
#pragma once

#include <flowtrain/rng.h>

#include "stages/data/camouflage/plane.h"

namespace flowtrain::data::camouflage {

struct Streaks {
  double angle = 0;   // of the streaks, radians from the horizontal
  double across = 0;  // Gaussian sigma across a streak, pixels
  double along = 0;   // and along it
};

// size x size, mean 0 and deviation 1: noise blurred along and across, with half as much of the
// same at half the size, turned by the angle and bent by a smooth displacement.
Plane Grain(Rng& rng, int size, const Streaks& streaks);

}  // namespace flowtrain::data::camouflage
