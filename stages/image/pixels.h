// An Image seen as OpenCV's matrix, without a copy. Any thread.
#pragma once

#include <flowtrain/image.h>

#include <opencv2/core.hpp>

namespace flowtrain::image {

inline cv::Mat Pixels(const Image& image) {
  return cv::Mat(image.height, image.width, CV_8UC(image.channels), image.data, image.stride);
}

}  // namespace flowtrain::image
