// Scores of masks that an oracle picks with the truth before its eyes: upper bounds of what a
// method can reach. IoU; an empty union scores 0.
#pragma once

#include <opencv2/core.hpp>

namespace flowtrain::builtin_test {

// Of two masks (CV_8U, not 0: inside).
double Iou(const cv::Mat& prediction, const cv::Mat& truth);

// The best IoU over 4096 thresholds across the range of `map` (CV_32F), with either side as
// the mask.
double BestThresholdIou(const cv::Mat& map, const cv::Mat& truth);

// k-means on the colours of `rgb`; the best IoU over every union of clusters but none and all.
double BestClustersIou(const cv::Mat& rgb, const cv::Mat& truth, int clusters);

}  // namespace flowtrain::builtin_test
