#include "model/metrics/e_measure.h"

#include "model/metrics/epsilon.h"

namespace flowtrain::model::metrics {
namespace {

// One pixel's share, from the demeaned prediction and the demeaned mask.
double Alignment(double prediction, double mask) {
  const double align = 2 * (prediction * mask) / (prediction * prediction + mask * mask + kEpsilon);
  return (align + 1) * (align + 1) / 4;
}

double SumOfAlignments(const BinaryCounts& counts, int64_t foreground_pixels, int64_t pixels) {
  const double all = static_cast<double>(pixels);
  const double prediction_mean = static_cast<double>(counts.predicted()) / all;
  const double mask_mean = static_cast<double>(foreground_pixels) / all;
  const double hit = Alignment(1 - prediction_mean, 1 - mask_mean);
  const double false_alarm = Alignment(1 - prediction_mean, 0 - mask_mean);
  const double miss = Alignment(0 - prediction_mean, 1 - mask_mean);
  const double rejection = Alignment(0 - prediction_mean, 0 - mask_mean);
  const int64_t misses = foreground_pixels - counts.true_positives;
  const int64_t rejections = pixels - counts.predicted() - misses;
  return hit * static_cast<double>(counts.true_positives) +
         false_alarm * static_cast<double>(counts.false_positives) +
         miss * static_cast<double>(misses) + rejection * static_cast<double>(rejections);
}

}  // namespace

double EMeasure(const BinaryCounts& counts, int64_t foreground_pixels, int64_t pixels) {
  double sum = 0;
  if (foreground_pixels == 0) {
    sum = static_cast<double>(pixels - counts.predicted());
  } else if (foreground_pixels == pixels) {
    sum = static_cast<double>(counts.predicted());
  } else {
    sum = SumOfAlignments(counts, foreground_pixels, pixels);
  }
  return sum / (static_cast<double>(pixels - 1) + kEpsilon);
}

}  // namespace flowtrain::model::metrics
