#include "stages/image/ops/pixel_change.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "stages/image/pixels.h"

namespace flowtrain::image {
namespace {

constexpr double kLuma[] = {0.299, 0.587, 0.114};  // ITU-R BT.601
// cv::transform copies its whole input when it works in place; a band of rows stays in cache.
constexpr int kBandRows = 16;

// Turns the chroma of a pixel by `share` of the circle; its luma stays.
cv::Matx33d HueTurn(double share) {
  const double u = 0.492, v = 0.877;                      // BT.601: U = u (B - Y), V = v (R - Y)
  const cv::Matx33d to_yuv(kLuma[0], kLuma[1], kLuma[2],  //
                           -u * kLuma[0], -u * kLuma[1], u * (1 - kLuma[2]),  //
                           v * (1 - kLuma[0]), -v * kLuma[1], -v * kLuma[2]);
  const double angle = 2 * std::numbers::pi * share;
  const cv::Matx33d turn(1, 0, 0, 0, std::cos(angle), -std::sin(angle), 0, std::sin(angle),
                         std::cos(angle));
  return to_yuv.inv() * turn * to_yuv;
}

cv::Matx33d Saturation(double factor) {
  cv::Matx33d map;
  for (int out = 0; out < 3; ++out) {
    for (int in = 0; in < 3; ++in)
      map(out, in) = (out == in ? factor : 0) + (1 - factor) * kLuma[in];
  }
  return map;
}

struct Applied {
  const Image& image;
  const Colour& fill;
  Context& context;
  const int scratch_block;

  cv::Mat Copied(const cv::Mat& from, cv::Mat copy) const {
    from.copyTo(copy);
    return copy;
  }
  cv::Mat Scratch(int rows) const {
    const std::span<uint8_t> block =
        context.Scratch(image.row_bytes() * static_cast<size_t>(rows), scratch_block);
    return cv::Mat(rows, image.width, CV_8UC3, block.data());
  }

  void operator()(const ColourChange& change) const {
    cv::Mat pixels = Pixels(image);
    double mean_gray = 0;
    if (change.contrast != 1) {
      const cv::Scalar mean = cv::mean(pixels);
      for (int c = 0; c < 3; ++c) mean_gray += kLuma[c] * mean[c];
    }
    // out = hue(saturation(v)) with v = contrast * brightness * in + (1 - contrast) * brightness *
    // mean: one affine map of a pixel. Hue and saturation leave grays as they are.
    const double gain = change.contrast * change.brightness;
    const double offset = (1 - change.contrast) * change.brightness * mean_gray;
    cv::Matx33d turned = Saturation(change.saturation);
    if (change.hue != 0) turned = HueTurn(change.hue) * turned;
    cv::Matx<float, 3, 4> map;
    for (int out = 0; out < 3; ++out) {
      for (int in = 0; in < 3; ++in) map(out, in) = static_cast<float>(gain * turned(out, in));
      map(out, 3) = static_cast<float>(offset);
    }
    const cv::Mat block = Scratch(kBandRows);
    for (int y = 0; y < image.height; y += kBandRows) {
      cv::Mat band = pixels.rowRange(y, std::min(y + kBandRows, image.height));
      cv::transform(Copied(band, block.rowRange(0, band.rows)), band, map);
    }
  }

  void operator()(const BlurChange& change) const {
    cv::Mat pixels = Pixels(image);
    // 3 deviations on each side hold 99.7% of the weight.
    const int size = 2 * static_cast<int>(std::ceil(3 * change.sigma)) + 1;
    cv::GaussianBlur(Copied(pixels, Scratch(image.height)), pixels, {size, size}, change.sigma,
                     change.sigma, cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
  }

  void operator()(const EraseChange& change) const {
    const Region& part = change.part;
    const auto at = [](double share, int pixels) {
      return std::clamp(static_cast<int>(std::lround(share * pixels)), 0, pixels);
    };
    const int left = at(part.x, image.width), right = at(part.x + part.width, image.width);
    const int top = at(part.y, image.height), bottom = at(part.y + part.height, image.height);
    Pixels(image)(cv::Rect(left, top, right - left, bottom - top))
        .setTo(cv::Scalar(fill[0], fill[1], fill[2]));
  }
};

}  // namespace

void Apply(const PixelChange& change, const Image& image, const Colour& fill, Context& context,
           int scratch_block) {
  std::visit(Applied{image, fill, context, scratch_block}, change);
}

}  // namespace flowtrain::image
