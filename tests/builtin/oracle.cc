#include "tests/builtin/oracle.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace flowtrain::builtin_test {

double Iou(const cv::Mat& prediction, const cv::Mat& truth) {
  const int both = cv::countNonZero(prediction & truth),
            either = cv::countNonZero(prediction | truth);
  return either == 0 ? 0 : static_cast<double>(both) / either;
}

double BestThresholdIou(const cv::Mat& map, const cv::Mat& truth) {
  double least = 0, most = 0;
  cv::minMaxLoc(map, &least, &most);
  constexpr int kBins = 4096;
  const double scale = most > least ? kBins / (most - least) : 0;
  std::vector<int> sizes(kBins), hits(kBins);
  for (int y = 0; y < map.rows; ++y) {
    for (int x = 0; x < map.cols; ++x) {
      const int bin = std::min(kBins - 1, static_cast<int>((map.at<float>(y, x) - least) * scale));
      ++sizes[bin];
      hits[bin] += truth.at<uint8_t>(y, x) != 0;
    }
  }
  const double total = static_cast<double>(map.total()), inside = cv::countNonZero(truth);
  double best = 0, below = 0, hit = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    below += sizes[bin];
    hit += hits[bin];
    best = std::max({best, hit / (below + inside - hit), (inside - hit) / (total - below + hit)});
  }
  return best;
}

double BestClustersIou(const cv::Mat& rgb, const cv::Mat& truth, int clusters) {
  cv::Mat colours, labels;
  rgb.reshape(1, static_cast<int>(rgb.total())).convertTo(colours, CV_32F);
  cv::setRNGSeed(1);
  cv::kmeans(colours, clusters, labels, {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 20, 0.5},
             1, cv::KMEANS_PP_CENTERS);
  std::vector<int> sizes(clusters), hits(clusters);
  for (int i = 0; i < labels.rows; ++i) {
    const int label = labels.at<int>(i);
    ++sizes[label];
    hits[label] += truth.at<uint8_t>(i / truth.cols, i % truth.cols) != 0;
  }
  const int inside = cv::countNonZero(truth);
  double best = 0;
  for (unsigned chosen = 1; chosen + 1 < 1u << clusters; ++chosen) {
    int size = 0, hit = 0;
    for (int k = 0; k < clusters; ++k) {
      if ((chosen >> k & 1) == 0) continue;
      size += sizes[k];
      hit += hits[k];
    }
    best = std::max(best, static_cast<double>(hit) / (size + inside - hit));
  }
  return best;
}

}  // namespace flowtrain::builtin_test
