// One of the eight ways to turn and mirror a picture: first transposed, then mirrored. EXIF tags
// and the flips and quarter turns of an augmentation are the same group, so that any number of them
// costs one pass over the pixels. A value; any thread.
#pragma once

#include <flowtrain/image.h>

namespace flowtrain::image {

struct Orientation {
  bool transpose = false;
  bool mirror_x = false;  // left and right change places, after the transposition
  bool mirror_y = false;

  bool identity() const { return !transpose && !mirror_x && !mirror_y; }
  bool operator==(const Orientation&) const = default;

  // The turn that shows stored pixels upright; values outside 1..8 mean "as stored"
  // (EXIF 2.32, 4.6.4 A).
  static Orientation FromExif(int tag);
  static Orientation QuarterTurns(int clockwise);  // 0..3
  // This one, then `next`.
  Orientation Then(const Orientation& next) const;
  // Where a part of the turned picture lies in the picture before.
  Region Before(const Region& after) const;
  // Where a part of the picture before lies in the turned one.
  Region After(const Region& before) const;
};

// Writes `from`, turned, into `to`: another block of memory of the turned size, same channels, 8
// bit.
void Turn(const Image& from, const Orientation& orientation, const Image& to);

}  // namespace flowtrain::image
