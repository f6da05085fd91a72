#include "stages/image/ops/pixel_change.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "stages/image/pixels.h"

namespace flowtrain::image {
namespace {

struct Applied {
  const Image& image;
  const Colour& fill;
  Context& context;
  const int scratch_block;

  void operator()(const ColourChange& change) const {
    ChangeColours(change, image, context, scratch_block);
  }

  void operator()(const BlurChange& change) const {
    cv::Mat pixels = Pixels(image);
    const std::span<uint8_t> block =
        context.Scratch(image.row_bytes() * static_cast<size_t>(image.height), scratch_block);
    cv::Mat copy(image.height, image.width, CV_8UC3, block.data());
    pixels.copyTo(copy);
    // 3 deviations on each side hold 99.7% of the weight.
    const int size = 2 * static_cast<int>(std::ceil(3 * change.sigma)) + 1;
    cv::GaussianBlur(copy, pixels, {size, size}, change.sigma, change.sigma,
                     cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
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
