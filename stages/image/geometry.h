// Which part of a picture an augmentation shows, and how it lies: crops, mirrors, turns and affine
// changes, however many, are one map from the output to the picture, so that the pixels are made in
// one pass. A value; any thread.
#pragma once

#include <flowtrain/image.h>

#include "stages/image/orientation.h"

namespace flowtrain::image {

struct Vector {
  double x = 0, y = 0;
  bool operator==(const Vector&) const = default;
};

// A frame in the picture. Coordinates of the picture: its height is 1, its width `aspect`. The
// frame's pixels are addressed from (0, 0) to (1, 1), across and down.
class Geometry {
 public:
  // The whole picture. (A float: the ratio of two sizes comes out as the same number however it was
  // computed, which Plan and Process rely on.)
  explicit Geometry(float aspect) : aspect_(aspect), across_{aspect, 0}, down_{0, 1} {}

  double width() const;  // of the frame, where the picture's height is 1
  double height() const;

  // Narrows the frame to a part of it.
  void Crop(const Region& part);
  // Turns and mirrors what the frame shows.
  void Turn(const Orientation& turn);
  // Changes what the frame shows, around its centre: sheared along x, scaled, turned clockwise,
  // then moved by shares of the frame's size.
  struct Change {
    double turn_radians = 0, scale = 1, shear_radians = 0;
    double move_x = 0, move_y = 0;
  };
  void Apply(const Change& change);

  // The frame's sides are parallel to the picture's.
  bool straight() const;
  // How a straight frame's part of the picture lies in it.
  Orientation turn() const;
  // The smallest part of the picture that holds the frame, relative to the picture; may reach out
  // of it.
  Region bounds() const;

  Vector origin() const { return origin_; }
  Vector across() const { return across_; }
  Vector down() const { return down_; }
  double aspect() const { return aspect_; }

 private:
  // Keeps the frame's sides in the range that pixels can be computed for.
  void Limit();

  double aspect_;
  Vector origin_, across_, down_;  // where (0, 0) is, and from there to (1, 0) and (0, 1)
};

}  // namespace flowtrain::image
