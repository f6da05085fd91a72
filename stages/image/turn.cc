#include "stages/image/orientation.h"
#include "stages/image/pixels.h"

namespace flowtrain::image {

void Turn(const Image& from, const Orientation& orientation, const Image& to) {
  const cv::Mat source = Pixels(from);
  cv::Mat target = Pixels(to);
  // OpenCV's flip codes: 0 upside down, 1 left to right, -1 both.
  const int code = orientation.mirror_x ? (orientation.mirror_y ? -1 : 1) : 0;
  const bool mirrors = orientation.mirror_x || orientation.mirror_y;
  if (orientation.transpose) {
    cv::transpose(source, target);
    if (mirrors) cv::flip(target, target, code);
  } else if (mirrors) {
    cv::flip(source, target, code);
  } else {
    source.copyTo(target);
  }
}

}  // namespace flowtrain::image
