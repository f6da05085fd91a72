#include "stages/image/ops/colour_change.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "stages/image/pixels.h"

namespace flowtrain::image {
namespace {

constexpr double kLuma[] = {0.299, 0.587, 0.114};  // ITU-R BT.601
// Steps that need a copy take a band of rows, which stays in cache.
constexpr int kBandRows = 16;

double MeanGray(const cv::Mat& pixels) {
  const cv::Scalar mean = cv::mean(pixels);
  return kLuma[0] * mean[0] + kLuma[1] * mean[1] + kLuma[2] * mean[2];
}

void Saturate(cv::Mat& band, double factor, uint8_t* scratch) {
  cv::Matx33f map;
  for (int out = 0; out < 3; ++out) {
    for (int in = 0; in < 3; ++in)
      map(out, in) = static_cast<float>((out == in ? factor : 0) + (1 - factor) * kLuma[in]);
  }
  cv::Mat copy(band.rows, band.cols, CV_8UC3, scratch);
  band.copyTo(copy);
  cv::transform(copy, band, map);
}

// Smith, "Color gamut transform pairs" (SIGGRAPH 1978), hue counted in sixths of the circle. Planes
// rather than pixels, integers with 16 bits after the point, and no branch: so the compiler takes
// several pixels at once (224 x 224 of them in 0.22 ms; one by one it takes 0.58).
constexpr int kSixth = 1 << 16;

void TurnHue(uint8_t* __restrict red, uint8_t* __restrict green, uint8_t* __restrict blue,
             int pixels, int turn) {
  const auto fallen = [](int by) { return std::min(std::max(by, 0), kSixth); };
  for (int i = 0; i < pixels; ++i) {
    const int r = red[i], g = green[i], b = blue[i];
    const int most = std::max(r, std::max(g, b)), chroma = most - std::min(r, std::min(g, b));
    const int red_most = -(r == most), green_most = -(g == most) & ~red_most;
    const int blue_most = ~(red_most | green_most);
    const int beyond = ((g - b) & red_most) | ((b - r) & green_most) | ((r - g) & blue_most);
    const float part =
        static_cast<float>(beyond * kSixth) / static_cast<float>(chroma | (chroma == 0));
    const int from = (2 * kSixth & green_most) | (4 * kSixth & blue_most);
    int hue = static_cast<int>(part) + from + turn;  // -4 .. 8, then -3 .. 3 sixths
    hue -= 6 * kSixth & -(hue > 3 * kSixth);
    hue += 6 * kSixth & -(hue < -3 * kSixth);
    const int value = most * kSixth + kSixth / 2;
    red[i] = static_cast<uint8_t>((value - chroma * fallen(std::abs(hue) - kSixth)) >> 16);
    green[i] =
        static_cast<uint8_t>((value - chroma * fallen(2 * kSixth - std::abs(hue + kSixth))) >> 16);
    blue[i] =
        static_cast<uint8_t>((value - chroma * fallen(2 * kSixth - std::abs(hue - kSixth))) >> 16);
  }
}

void ChangeHue(cv::Mat& band, double share, uint8_t* scratch) {
  const size_t pixels = band.total();
  cv::Mat planes[3];
  for (int c = 0; c < 3; ++c)
    planes[c] = cv::Mat(band.rows, band.cols, CV_8U, scratch + c * pixels);
  cv::split(band, planes);
  TurnHue(planes[0].data, planes[1].data, planes[2].data, static_cast<int>(pixels),
          static_cast<int>(std::lround(6 * kSixth * share)));
  cv::merge(planes, 3, band);
}

}  // namespace

void ChangeColours(const ColourChange& change, const Image& image, Context& context,
                   int scratch_block) {
  cv::Mat pixels = Pixels(image);
  if (change.kind == ColourChange::kBrightness) return pixels.convertTo(pixels, -1, change.amount);
  if (change.kind == ColourChange::kContrast)
    return pixels.convertTo(pixels, -1, change.amount, (1 - change.amount) * MeanGray(pixels));
  uint8_t* scratch = context.Scratch(image.row_bytes() * kBandRows, scratch_block).data();
  for (int y = 0; y < image.height; y += kBandRows) {
    cv::Mat band = pixels.rowRange(y, std::min(y + kBandRows, image.height));
    if (change.kind == ColourChange::kSaturation) {
      Saturate(band, change.amount, scratch);
    } else {
      ChangeHue(band, change.amount, scratch);
    }
  }
}

}  // namespace flowtrain::image
