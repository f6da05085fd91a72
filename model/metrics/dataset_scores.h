// The metrics of a set of images. One owner adds images, or merges what other threads or processes
// added; the result has the same bits in whatever order and parts that was done.
#pragma once

#include <array>
#include <cstdint>

#include "model/metrics/exact_sum.h"
#include "model/metrics/image_scores.h"

namespace flowtrain::model::metrics {

// Means over images. The mean and maximum of F and E are taken of the curve that is averaged over
// the images first.
struct DatasetResult {
  int64_t images = 0;
  double mae = 0, s_measure = 0, weighted_f = 0;
  double adaptive_f = 0, mean_f = 0, max_f = 0;
  double adaptive_e = 0, mean_e = 0, max_e = 0;
  double iou = 0, dice = 0;                // at p > 0.5, mean over images
  double pooled_iou = 0, pooled_dice = 0;  // at p > 0.5, of all images' pixels together
  Curve f{}, e{};                          // the averaged curves, thresholds 255 to 0
};

class DatasetScores {
 public:
  void Add(const ImageScores& image);
  void Add(const DatasetScores& other);

  int64_t images() const { return images_; }

  // Throws std::logic_error where no image was added: a mean error of 0 would look perfect.
  DatasetResult Result() const;

 private:
  int64_t images_ = 0;
  ExactSum mae_, s_measure_, weighted_f_, adaptive_f_, adaptive_e_, iou_, dice_;
  std::array<ExactSum, 256> f_, e_;
  Overlap overlap_;
};

}  // namespace flowtrain::model::metrics
