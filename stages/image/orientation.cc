#include "stages/image/orientation.h"

#include <utility>

namespace flowtrain::image {

Orientation Orientation::FromExif(int tag) {
  switch (tag) {
    case 2:
      return {false, true, false};
    case 3:
      return {false, true, true};
    case 4:
      return {false, false, true};
    case 5:
      return {true, false, false};
    case 6:
      return {true, true, false};
    case 7:
      return {true, true, true};
    case 8:
      return {true, false, true};
    default:
      return {};
  }
}

Orientation Orientation::QuarterTurns(int clockwise) {
  constexpr int kTags[] = {1, 6, 3, 8};
  return FromExif(kTags[clockwise & 3]);
}

Orientation Orientation::Then(const Orientation& next) const {
  // A transposition that follows mirrors exchanges their axes.
  Orientation both = *this;
  if (next.transpose) {
    both.transpose = !both.transpose;
    std::swap(both.mirror_x, both.mirror_y);
  }
  both.mirror_x ^= next.mirror_x;
  both.mirror_y ^= next.mirror_y;
  return both;
}

Region Orientation::Before(const Region& after) const {
  Region before = after;
  if (mirror_x) before.x = 1 - after.x - after.width;
  if (mirror_y) before.y = 1 - after.y - after.height;
  if (transpose) {
    std::swap(before.x, before.y);
    std::swap(before.width, before.height);
  }
  return before;
}

Region Orientation::After(const Region& before) const {
  Region after = before;
  if (transpose) {
    std::swap(after.x, after.y);
    std::swap(after.width, after.height);
  }
  if (mirror_x) after.x = 1 - after.x - after.width;
  if (mirror_y) after.y = 1 - after.y - after.height;
  return after;
}

}  // namespace flowtrain::image
