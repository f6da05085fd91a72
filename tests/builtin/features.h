// What a picture gives to an onlooker without training: maps whose thresholds are tried as masks.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace flowtrain::builtin_test {

struct Feature {
  std::string name;
  cv::Mat map;  // CV_32F, of the picture's size
};

// Of an RGB picture (CV_8UC3): gray, the channels, saturation, Sobel magnitude, local deviation.
std::vector<Feature> PlainFeatures(const cv::Mat& rgb);

// What the set is about, the direction of the grain: blurred |d/dx|, and the structure tensor's.
std::vector<Feature> DirectionFeatures(const cv::Mat& rgb);

// `map` under a Gaussian of `sigma` pixels (0: as it is).
cv::Mat Blurred(const cv::Mat& map, double sigma);

}  // namespace flowtrain::builtin_test
