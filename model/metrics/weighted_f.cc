#include "model/metrics/weighted_f.h"

#include <algorithm>
#include <array>

#include "model/metrics/epsilon.h"
#include "model/metrics/foreground_box.h"
#include "model/metrics/weighted_f_weights.h"

namespace flowtrain::model::metrics {
namespace {

class Measurement {
 public:
  Measurement(const ByteMap& prediction, const ByteMap& mask, const Levels& levels,
              const ForegroundBox& box, WeightedFScratch& scratch)
      : prediction_(prediction), mask_(mask), levels_(levels), box_(box), scratch_(scratch) {
    scratch.nearest.Build(mask);
    scratch.squared_distances.resize(mask.width);
    scratch.columns.resize(mask.width);
    scratch.errors.assign(box.width() + 2 * kReach, 0);
    scratch.blurred.assign(kTaps * box.width(), 0);
    for (size_t v = 0; v < 256; ++v) background_errors_[v] = levels.p[v];
  }

  double Score() {
    for (size_t y = 0; y < std::max(mask_.height, box_.bottom + kReach + 1); ++y) {
      const bool near = y + kReach >= box_.top && y <= box_.bottom + kReach;
      if (y < mask_.height)
        ReadRow(y, near);
      else
        BlurRow(y, {});
      if (y >= box_.top + kReach && near) AddForegroundErrors(y - kReach);
    }
    const double foreground = static_cast<double>(foreground_pixels_);
    const double hits = foreground - foreground_errors_sum_;
    const double recall = 1 - foreground_errors_sum_ / foreground;
    const double precision = hits / (hits + background_errors_sum_ + kEpsilon);
    return 2 * recall * precision / (recall + precision + kEpsilon);
  }

 private:
  void ReadRow(size_t y, bool near) {
    const bool errs = HasBackgroundErrors(y);
    if (!near && !errs) return;
    WeightedFScratch& s = scratch_;
    s.nearest.Row(y, s.squared_distances, s.columns);
    if (errs) AddBackgroundErrors(y);
    if (near) BlurRow(y, s.columns);
  }

  // Whether any background pixel of the row is predicted above 0: in most rows of a good prediction
  // none is, and the distances there don't matter.
  bool HasBackgroundErrors(size_t y) const {
    if (levels_.p[levels_.lowest] > 0) return true;
    const uint8_t* p = prediction_.pixels.data() + y * mask_.width;
    const uint8_t* m = mask_.pixels.data() + y * mask_.width;
    uint8_t errs = 0;
    for (size_t x = 0; x < mask_.width; ++x) {
      errs |= static_cast<uint8_t>((p[x] != levels_.lowest) & !IsForeground(m[x]));
    }
    return errs != 0;
  }

  void AddBackgroundErrors(size_t y) {
    static const DistanceWeights weights;
    const uint8_t* p = prediction_.pixels.data() + y * mask_.width;
    const uint8_t* m = mask_.pixels.data() + y * mask_.width;
    double sum = 0;
    for (size_t x = 0; x < mask_.width; ++x) {
      sum +=
          background_errors_[p[x] + 256u * IsForeground(m[x])] * weights[scratch_.squared_distances[x]];
    }
    background_errors_sum_ += sum;
  }

  // Blurs along row `y` the errors that its pixels' nearest foreground pixels have; below the
  // image, where there is no column, they are 0.
  void BlurRow(size_t y, std::span<const int32_t> columns) {
    static const auto taps = GaussianTaps();
    std::vector<double>& errors = scratch_.errors;
    for (size_t i = 0; i < errors.size(); ++i) {
      const size_t x = box_.left + i - kReach;  // wraps left of the image
      if (x >= columns.size()) {
        errors[i] = 0;
        continue;
      }
      const auto column = static_cast<size_t>(columns[x]);
      const size_t at = scratch_.nearest.RowOf(y, column) * mask_.width + column;
      errors[i] = 1 - levels_.p[prediction_.pixels[at]];
    }
    double* out = scratch_.blurred.data() + y % kTaps * box_.width();
    const double* in = errors.data() + kReach;
    for (size_t i = 0; i < box_.width(); ++i) {
      out[i] = taps[0] * in[i] + taps[1] * (in[i - 1] + in[i + 1]) +
               taps[2] * (in[i - 2] + in[i + 2]) + taps[3] * (in[i - 3] + in[i + 3]);
    }
  }

  // Rows y - 3 to y + 3 are blurred along themselves.
  void AddForegroundErrors(size_t y) {
    static const auto taps = GaussianTaps();
    const auto blurred = [&](size_t row) {
      return scratch_.blurred.data() + row % kTaps * box_.width();
    };
    const double* middle = blurred(y);
    const double *above1 = blurred(y + 6), *above2 = blurred(y + 5), *above3 = blurred(y + 4);
    const double *below1 = blurred(y + 1), *below2 = blurred(y + 2), *below3 = blurred(y + 3);
    const uint8_t* p = prediction_.pixels.data() + y * mask_.width + box_.left;
    const uint8_t* m = mask_.pixels.data() + y * mask_.width + box_.left;
    double sum = 0;
    for (size_t i = 0; i < box_.width(); ++i) {
      if (!IsForeground(m[i])) continue;
      const double around = taps[0] * middle[i] + taps[1] * (above1[i] + below1[i]) +
                            taps[2] * (above2[i] + below2[i]) + taps[3] * (above3[i] + below3[i]);
      sum += std::min(around, 1 - levels_.p[p[i]]);
      ++foreground_pixels_;
    }
    foreground_errors_sum_ += sum;
  }

  const ByteMap& prediction_;
  const ByteMap& mask_;
  const Levels& levels_;
  const ForegroundBox& box_;
  WeightedFScratch& scratch_;
  std::array<double, 512> background_errors_{};  // by level; 0 for the foreground's, from 256 on
  int64_t foreground_pixels_ = 0;
  double foreground_errors_sum_ = 0;
  double background_errors_sum_ = 0;
};

}  // namespace

double WeightedF(const ByteMap& prediction, const ByteMap& mask, const Levels& levels,
                 WeightedFScratch& scratch) {
  const ForegroundBox box = FindForeground(mask);
  if (box.empty()) return 0;
  return Measurement(prediction, mask, levels, box, scratch).Score();
}

}  // namespace flowtrain::model::metrics
