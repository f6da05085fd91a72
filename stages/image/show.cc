#include "stages/image/show.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "stages/image/bounded.h"
#include "stages/image/pixels.h"
#include "stages/image/resample/resample.h"

namespace flowtrain::image {
namespace {

// Bounds that were computed to be on an edge are on it, whatever the rounding.
constexpr double kEdgeSlack = 1e-6;

// Size of the whole picture in pixels of `image`: no integer where that was decoded at a smaller
// scale.
double PictureWidth(const Image& image) { return image.width / image.covers.width; }
double PictureHeight(const Image& image) { return image.height / image.covers.height; }

// A frame that one pass of the resampler can make.
bool IsPlain(const Geometry& geometry) {
  const Region bounds = geometry.bounds();
  return geometry.straight() && bounds.x > -kEdgeSlack && bounds.y > -kEdgeSlack &&
         bounds.x + bounds.width < 1 + kEdgeSlack && bounds.y + bounds.height < 1 + kEdgeSlack;
}

// `start` and `length` are relative to the picture.
Side SideOf(double start, double length, double covers_start, double picture_pixels, int pixels) {
  Side side{(start - covers_start) * picture_pixels, length * picture_pixels, 0, pixels};
  side.begin = Bounded(std::floor(side.start + kEdgeSlack), 0, pixels - 1);
  side.end = Bounded(std::ceil(side.start + side.length - kEdgeSlack), side.begin + 1, pixels);
  return side;
}
Side Across(const Image& from, const Region& part) {
  return SideOf(part.x, part.width, from.covers.x, PictureWidth(from), from.width);
}
Side Down(const Image& from, const Region& part) {
  return SideOf(part.y, part.height, from.covers.y, PictureHeight(from), from.height);
}

void RunResample(const Image& from, const Region& part, const Resample::Output& output,
                 bool antialias, Context& context, int block, const Image& to) {
  const Resample resample(Across(from, part), Down(from, part), output, antialias);
  resample.Run(from, context.Scratch(resample.scratch_bytes(), block), to);
}

Image ScratchImage(Context& context, int block, int height, int width) {
  Image image{.height = height, .width = width, .channels = 3};
  image.stride = image.row_bytes();
  image.data = context.Scratch(image.bytes(), block).data();
  return image;
}

// The part of [0, 1] that `start`, `length` holds; a sliver where that is none.
void ClipToPicture(double& start, double& length) {
  const double end = std::clamp(start + length, kEdgeSlack, 1.0);
  start = std::clamp(start, 0.0, end - kEdgeSlack);
  length = end - start;
}

// What a frame that is not plain is warped from: its bounds and a pixel more, in the picture, with
// pixels as far apart as the output's are.
struct Warped {
  Region part;
  double width = 0, height = 0;
  bool empty = false;  // the frame lies beside the picture
};
Warped WarpedFrom(const Geometry& geometry, int height, int width) {
  const Vector across = geometry.across(), down = geometry.down();
  const double step_x = std::hypot(across.x / width, down.x / height) / geometry.aspect();
  const double step_y = std::hypot(across.y / width, down.y / height);
  Warped from{geometry.bounds()};
  from.part.x -= 1.5 * step_x, from.part.width += 3 * step_x;
  from.part.y -= 1.5 * step_y, from.part.height += 3 * step_y;
  from.empty = from.part.x >= 1 || from.part.x + from.part.width <= 0 || from.part.y >= 1 ||
               from.part.y + from.part.height <= 0;
  ClipToPicture(from.part.x, from.part.width);
  ClipToPicture(from.part.y, from.part.height);
  // A frame is at most so many pixels wide, however turned; what is clipped to a sliver isn't.
  const double most = std::hypot(width, height) + 4;
  from.width = std::clamp(from.part.width / step_x, 1.0, most);
  from.height = std::clamp(from.part.height / step_y, 1.0, most);
  return from;
}

// Where (column, row) of an output lies in an image that has `pixels_x` x `pixels_y` for the
// picture and begins at `part`: in its pixels, edges being integers.
cv::Matx23d ToPixels(const Geometry& geometry, const Image& to, const Region& part, double pixels_x,
                     double pixels_y) {
  const Vector step_x{geometry.across().x / to.width, geometry.across().y / to.width};
  const Vector step_y{geometry.down().x / to.height, geometry.down().y / to.height};
  const double scale_x = pixels_x / geometry.aspect(), scale_y = pixels_y;
  const Vector first{geometry.origin().x + (step_x.x + step_y.x) / 2,
                     geometry.origin().y + (step_x.y + step_y.y) / 2};
  return {scale_x * step_x.x, scale_x * step_y.x, scale_x * first.x - part.x * pixels_x,
          scale_y * step_x.y, scale_y * step_y.y, scale_y * first.y - part.y * pixels_y};
}

void WarpImage(const Image& from, const Geometry& geometry, const ShowOptions& options,
               Context& context, int block, const Image& to) {
  const Warped wanted = WarpedFrom(geometry, to.height, to.width);
  cv::Mat target = Pixels(to);
  const cv::Scalar fill(options.fill[0], options.fill[1], options.fill[2]);
  // The warp's integers don't hold places far from its pixels.
  if (wanted.empty) {
    target.setTo(fill);
    return;
  }
  // No finer than the picture is.
  const auto pixels = [](double wanted_pixels, double there) {
    return std::max(1, static_cast<int>(std::ceil(std::min(wanted_pixels, there) - kEdgeSlack)));
  };
  const Image scaled =
      ScratchImage(context, block, pixels(wanted.height, wanted.part.height * PictureHeight(from)),
                   pixels(wanted.width, wanted.part.width * PictureWidth(from)));
  RunResample(from, wanted.part, {scaled.height, scaled.width}, options.antialias, context,
              block + 1, scaled);
  cv::Matx23d map = ToPixels(geometry, to, wanted.part, scaled.width / wanted.part.width,
                             scaled.height / wanted.part.height);
  map(0, 2) -= 0.5, map(1, 2) -= 0.5;  // OpenCV counts from the first pixel's centre
  cv::warpAffine(Pixels(scaled), target, map, target.size(),
                 cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_CONSTANT, fill);
}

}  // namespace

float AspectOf(const Image& image) {
  return static_cast<float>(PictureWidth(image) / PictureHeight(image));
}

View ViewOf(const Geometry& geometry, int height, int width) {
  if (!IsPlain(geometry)) {
    const Warped from = WarpedFrom(geometry, height, width);
    return {from.part, static_cast<int>(std::ceil(from.height)),
            static_cast<int>(std::ceil(from.width))};
  }
  View view{geometry.bounds(), height, width};
  if (geometry.turn().transpose) std::swap(view.height, view.width);
  return view;
}

void ShowImage(const Image& from, const Geometry& geometry, const ShowOptions& options,
               Context& context, int scratch_block, const Image& to) {
  if (!IsPlain(geometry)) return WarpImage(from, geometry, options, context, scratch_block, to);
  const Orientation turn = geometry.turn();
  const Region part = geometry.bounds();
  if (!turn.transpose) {
    return RunResample(from, part, {to.height, to.width, turn.mirror_x, turn.mirror_y},
                       options.antialias, context, scratch_block, to);
  }
  const Image before = ScratchImage(context, scratch_block, to.width, to.height);
  RunResample(from, part, {before.height, before.width}, options.antialias, context,
              scratch_block + 1, before);
  Turn(before, turn, to);
}

void ShowMask(const Image& from, const Geometry& geometry, const Image& to) {
  const Orientation turn = geometry.turn();
  if (IsPlain(geometry) && !turn.transpose) {
    const Region part = geometry.bounds();
    return TakeNearest(from, Across(from, part), Down(from, part),
                       {to.height, to.width, turn.mirror_x, turn.mirror_y}, to);
  }
  const cv::Matx23d map =
      ToPixels(geometry, to, from.covers, PictureWidth(from), PictureHeight(from));
  // The picture's edges, in this mask's pixels.
  const double left = -from.covers.x * PictureWidth(from), right = left + PictureWidth(from);
  const double top = -from.covers.y * PictureHeight(from), bottom = top + PictureHeight(from);
  for (int row = 0; row < to.height; ++row) {
    uint8_t* out = to.row(row);
    for (int column = 0; column < to.width; ++column) {
      const double x = map(0, 0) * column + map(0, 1) * row + map(0, 2);
      const double y = map(1, 0) * column + map(1, 1) * row + map(1, 2);
      if (!(x >= left - kEdgeSlack && x <= right + kEdgeSlack && y >= top - kEdgeSlack &&
            y <= bottom + kEdgeSlack)) {
        out[column] = 0;
        continue;
      }
      const int u = Bounded(x, 0, from.width - 1), v = Bounded(y, 0, from.height - 1);
      out[column] = from.row(v)[u];
    }
  }
}

}  // namespace flowtrain::image
