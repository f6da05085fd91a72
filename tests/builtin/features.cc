#include "tests/builtin/features.h"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>

namespace flowtrain::builtin_test {
namespace {

cv::Mat Gray(const cv::Mat& rgb) {
  cv::Mat gray;
  cv::cvtColor(rgb, gray, cv::COLOR_RGB2GRAY);
  gray.convertTo(gray, CV_32F);
  return gray;
}

cv::Mat Saturation(const cv::Mat& rgb) {
  cv::Mat map(rgb.size(), CV_32F);
  for (int y = 0; y < rgb.rows; ++y) {
    for (int x = 0; x < rgb.cols; ++x) {
      const cv::Vec3b& p = rgb.at<cv::Vec3b>(y, x);
      const int most = std::max({p[0], p[1], p[2]}), least = std::min({p[0], p[1], p[2]});
      map.at<float>(y, x) =
          most == 0 ? 0.0f : static_cast<float>(most - least) / static_cast<float>(most);
    }
  }
  return map;
}

std::array<cv::Mat, 2> Gradient(const cv::Mat& gray) {
  std::array<cv::Mat, 2> gradient;
  cv::Sobel(gray, gradient[0], CV_32F, 1, 0);
  cv::Sobel(gray, gradient[1], CV_32F, 0, 1);
  return gradient;
}

cv::Mat LocalDeviation(const cv::Mat& gray) {
  cv::Mat mean, squares;
  cv::blur(gray, mean, {9, 9});
  cv::blur(gray.mul(gray), squares, {9, 9});
  cv::Mat deviation = cv::max(squares - mean.mul(mean), 0);
  cv::sqrt(deviation, deviation);
  return deviation;
}

}  // namespace

cv::Mat Blurred(const cv::Mat& map, double sigma) {
  if (sigma == 0) return map;
  cv::Mat out;
  cv::GaussianBlur(map, out, {0, 0}, sigma);
  return out;
}

std::vector<Feature> PlainFeatures(const cv::Mat& rgb) {
  const cv::Mat gray = Gray(rgb);
  std::vector<Feature> features = {{"gray", gray}};
  std::array<cv::Mat, 3> channels;
  cv::split(rgb, channels.data());
  for (int c = 0; c < 3; ++c) {
    cv::Mat channel;
    channels[c].convertTo(channel, CV_32F);
    features.push_back({std::string(1, "RGB"[c]), channel});
  }
  features.push_back({"saturation", Saturation(rgb)});
  const auto [dx, dy] = Gradient(gray);
  cv::Mat magnitude;
  cv::magnitude(dx, dy, magnitude);
  features.push_back({"Sobel magnitude", magnitude});
  features.push_back({"local deviation", LocalDeviation(gray)});
  return features;
}

std::vector<Feature> DirectionFeatures(const cv::Mat& rgb) {
  const auto [dx, dy] = Gradient(Gray(rgb));
  constexpr double kSigma = 8;
  const cv::Mat horizontal = Blurred(cv::abs(dx), kSigma);
  const cv::Mat jxx = Blurred(dx.mul(dx), kSigma), jyy = Blurred(dy.mul(dy), kSigma);
  // (Jxx - Jyy) / (Jxx + Jyy): 1 where all change is along x, -1 where it is along y.
  cv::Mat direction;
  cv::divide(jxx - jyy, jxx + jyy + 1e-3, direction);
  return {{"blurred |d/dx|", horizontal}, {"structure tensor", direction}};
}

}  // namespace flowtrain::builtin_test
