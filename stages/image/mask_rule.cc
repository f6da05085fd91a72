#include "stages/image/mask_rule.h"

#include <opencv2/imgproc.hpp>

#include "stages/image/pixels.h"

namespace flowtrain::image {

MaskRule Binarise(const Image& mask, int levels) {
  cv::Mat pixels = Pixels(mask);
  double highest = 0;
  cv::minMaxLoc(pixels, nullptr, &highest);
  // The lowest level that is foreground: v * 255 / levels > 128, or v > 0 of labels.
  const bool labels = highest == 1;
  const int first = labels ? 1 : 128 * levels / 255 + 1;
  cv::threshold(pixels, pixels, first - 1, 255, cv::THRESH_BINARY);
  if (labels) return levels == 1 ? MaskRule::kThreshold : MaskRule::kLabels;
  return highest > 0 && highest < first ? MaskRule::kNone : MaskRule::kThreshold;
}

}  // namespace flowtrain::image
