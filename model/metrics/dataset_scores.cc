#include "model/metrics/dataset_scores.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace flowtrain::model::metrics {
namespace {

void AddTo(Overlap& sum, const Overlap& more) {
  sum.true_positives += more.true_positives;
  sum.false_positives += more.false_positives;
  sum.false_negatives += more.false_negatives;
}

double MeanOf(const Curve& curve) {
  return std::accumulate(curve.begin(), curve.end(), 0.0) / static_cast<double>(curve.size());
}

}  // namespace

void DatasetScores::Add(const ImageScores& image) {
  ++images_;
  mae_.Add(image.mae);
  s_measure_.Add(image.s_measure);
  weighted_f_.Add(image.weighted_f);
  adaptive_f_.Add(image.adaptive_f);
  adaptive_e_.Add(image.adaptive_e);
  iou_.Add(IoU(image.overlap));
  dice_.Add(Dice(image.overlap));
  for (size_t i = 0; i < 256; ++i) {
    f_[i].Add(image.f[i]);
    e_[i].Add(image.e[i]);
  }
  AddTo(overlap_, image.overlap);
}

void DatasetScores::Add(const DatasetScores& other) {
  images_ += other.images_;
  mae_.Add(other.mae_);
  s_measure_.Add(other.s_measure_);
  weighted_f_.Add(other.weighted_f_);
  adaptive_f_.Add(other.adaptive_f_);
  adaptive_e_.Add(other.adaptive_e_);
  iou_.Add(other.iou_);
  dice_.Add(other.dice_);
  for (size_t i = 0; i < 256; ++i) {
    f_[i].Add(other.f_[i]);
    e_[i].Add(other.e_[i]);
  }
  AddTo(overlap_, other.overlap_);
}

DatasetResult DatasetScores::Result() const {
  if (images_ == 0) throw std::logic_error("no image was scored");
  const auto mean = [this](const ExactSum& sum) {
    return sum.value() / static_cast<double>(images_);
  };
  DatasetResult r;
  r.images = images_;
  r.mae = mean(mae_);
  r.s_measure = mean(s_measure_);
  r.weighted_f = mean(weighted_f_);
  r.adaptive_f = mean(adaptive_f_);
  r.adaptive_e = mean(adaptive_e_);
  r.iou = mean(iou_);
  r.dice = mean(dice_);
  std::transform(f_.begin(), f_.end(), r.f.begin(), mean);
  std::transform(e_.begin(), e_.end(), r.e.begin(), mean);
  r.mean_f = MeanOf(r.f);
  r.mean_e = MeanOf(r.e);
  r.max_f = *std::max_element(r.f.begin(), r.f.end());
  r.max_e = *std::max_element(r.e.begin(), r.e.end());
  r.pooled_iou = IoU(overlap_);
  r.pooled_dice = Dice(overlap_);
  return r;
}

}  // namespace flowtrain::model::metrics
