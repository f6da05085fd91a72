// Numbers computed from a geometry, as indices and sizes. Any thread.
#pragma once

namespace flowtrain::image {

// `value`, cut to `least` .. `most`; what is no number is `least`. (A double that an int can't hold
// has no defined conversion.)
inline int Bounded(double value, int least, int most) {
  if (!(value > least)) return least;
  return value < most ? static_cast<int>(value) : most;
}

}  // namespace flowtrain::image
