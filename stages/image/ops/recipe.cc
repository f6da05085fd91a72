#include "stages/image/ops/recipe.h"

#include <algorithm>
#include <cstring>
#include <opencv2/core.hpp>

#include "stages/image/pixels.h"

namespace flowtrain::image {
namespace {

constexpr double kLuma[] = {0.299, 0.587, 0.114};  // ITU-R BT.601
// cv::transform copies its whole input when it works in place; a band of rows stays in cache.
constexpr int kBandRows = 16;

}  // namespace

void Recolour(const Image& image, const ColourChange& change, Context& context, int scratch_block) {
  cv::Mat pixels = Pixels(image);
  double mean_gray = 0;
  if (change.contrast != 1) {
    const cv::Scalar mean = cv::mean(pixels);
    for (int c = 0; c < 3; ++c) mean_gray += kLuma[c] * mean[c];
  }
  // out = s * v + (1 - s) * gray(v) with v = contrast * brightness * in + (1 - contrast) *
  // brightness * mean: one affine map of a pixel.
  const double gain = change.contrast * change.brightness;
  const double offset = (1 - change.contrast) * change.brightness * mean_gray;
  cv::Matx<float, 3, 4> map;
  for (int out = 0; out < 3; ++out) {
    for (int in = 0; in < 3; ++in) {
      map(out, in) = static_cast<float>(
          gain * ((out == in ? change.saturation : 0) + (1 - change.saturation) * kLuma[in]));
    }
    map(out, 3) = static_cast<float>(offset);
  }
  const std::span<uint8_t> block = context.Scratch(image.row_bytes() * kBandRows, scratch_block);
  for (int y = 0; y < image.height; y += kBandRows) {
    cv::Mat band = pixels.rowRange(y, std::min(y + kBandRows, image.height));
    cv::Mat copy(band.rows, band.cols, CV_8UC3, block.data());
    band.copyTo(copy);
    cv::transform(copy, band, map);
  }
}

}  // namespace flowtrain::image
