#include "stages/image/geometry.h"

#include <algorithm>
#include <cmath>

namespace flowtrain::image {
namespace {

Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y}; }
Vector operator*(const Vector& a, double s) { return {a.x * s, a.y * s}; }
Vector operator-(const Vector& a) { return {-a.x, -a.y}; }
double Length(const Vector& a) { return std::hypot(a.x, a.y); }

// Least and largest side of a frame, by the picture's shorter one. Ops that stand in a row, each in
// its own range, would multiply up to nothing and to infinity. A millionth is less than a pixel of
// any picture; 3e5 is more than any picture is wide, and the warp still counts it in 32 bits.
constexpr double kLeastSide = 1e-6;
constexpr double kLargestSide = 3e5;

}  // namespace

double Geometry::width() const { return Length(across_); }
double Geometry::height() const { return Length(down_); }

void Geometry::Crop(const Region& part) {
  origin_ = origin_ + across_ * part.x + down_ * part.y;
  across_ = across_ * part.width;
  down_ = down_ * part.height;
  Limit();
}

void Geometry::Turn(const Orientation& turn) {
  if (turn.transpose) std::swap(across_, down_);
  if (turn.mirror_x) {
    origin_ = origin_ + across_;
    across_ = -across_;
  }
  if (turn.mirror_y) {
    origin_ = origin_ + down_;
    down_ = -down_;
  }
}

void Geometry::Apply(const Change& change) {
  // From where a point is shown back to where it was, both counted from the frame's centre in
  // lengths of the picture: the inverse of turn * scale * shear.
  const double cosine = std::cos(change.turn_radians) / change.scale;
  const double sine = std::sin(change.turn_radians) / change.scale;
  const double slant = std::tan(change.shear_radians);
  const auto back = [&](double x, double y) {
    const double turned_x = cosine * x + sine * y, turned_y = -sine * x + cosine * y;
    return Vector{turned_x - slant * turned_y, turned_y};
  };
  const double w = width(), h = height();
  const auto in_picture = [&, unit_x = across_ * (1 / w), unit_y = down_ * (1 / h)](
                              const Vector& v) { return unit_x * v.x + unit_y * v.y; };
  const Vector centre = origin_ + across_ * 0.5 + down_ * 0.5;
  const Vector corner = back(-(0.5 + change.move_x) * w, -(0.5 + change.move_y) * h);
  const Vector across = in_picture(back(w, 0)), down = in_picture(back(0, h));
  origin_ = centre + in_picture(corner);
  across_ = across;
  down_ = down;
  Limit();
}

void Geometry::Limit() {
  const double shorter = std::min(aspect_, 1.0);
  for (Vector* side : {&across_, &down_}) {
    const double length = Length(*side);
    const double allowed = std::clamp(length, kLeastSide * shorter, kLargestSide * shorter);
    if (allowed == length) continue;
    const Vector changed = *side * (allowed / length);
    origin_ = origin_ + (*side + -changed) * 0.5;  // around the middle
    *side = changed;
  }
}

bool Geometry::straight() const {
  return (across_.y == 0 && down_.x == 0) || (across_.x == 0 && down_.y == 0);
}

Orientation Geometry::turn() const {
  const bool transpose = across_.x == 0;
  return {transpose, (transpose ? across_.y : across_.x) < 0, (transpose ? down_.x : down_.y) < 0};
}

Region Geometry::bounds() const {
  const auto [left, right] = std::minmax({0.0, across_.x, down_.x, across_.x + down_.x});
  const auto [top, bottom] = std::minmax({0.0, across_.y, down_.y, across_.y + down_.y});
  return {(origin_.x + left) / aspect_, origin_.y + top, (right - left) / aspect_, bottom - top};
}

}  // namespace flowtrain::image
