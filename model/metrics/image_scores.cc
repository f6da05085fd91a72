#include "model/metrics/image_scores.h"

#include "model/metrics/binary_counts.h"
#include "model/metrics/e_measure.h"
#include "model/metrics/f_measure.h"
#include "model/metrics/levels.h"
#include "model/metrics/regions.h"
#include "model/metrics/s_measure.h"
#include "model/metrics/to_bytes.h"

namespace flowtrain::model::metrics {
namespace {

double MeanAbsoluteError(const Regions& regions, const Levels& levels) {
  double sum = 0;
  for (size_t v = 0; v < 256; ++v) {
    sum += static_cast<double>(regions.foreground[v]) * (1 - levels.p[v]) +
           static_cast<double>(regions.background[v]) * levels.p[v];
  }
  return sum / static_cast<double>(regions.pixels);
}

}  // namespace

ImageScores ScoreImage(const ByteMap& prediction, const ByteMap& mask, ImageScratch& scratch) {
  CheckPair(prediction, mask);
  const Levels levels = NormalizedLevels(prediction.pixels);
  const Regions regions = CountRegions(prediction, mask);
  const int64_t foreground = regions.foreground_pixels;

  ImageScores scores;
  scores.mae = MeanAbsoluteError(regions, levels);
  scores.s_measure = SMeasure(regions, levels);
  scores.weighted_f = WeightedF(prediction, mask, levels, scratch.weighted_f);
  const BinaryCounts adaptive = CountAdaptive(regions, levels, prediction.pixels);
  scores.adaptive_f = FMeasure(adaptive, foreground);
  scores.adaptive_e = EMeasure(adaptive, foreground, regions.pixels);
  const auto curve = CountCurve(regions, levels);
  for (size_t i = 0; i < curve.size(); ++i) {
    scores.f[i] = FMeasure(curve[i], foreground);
    scores.e[i] = EMeasure(curve[i], foreground, regions.pixels);
  }
  const BinaryCounts half = CountAtHalf(regions, levels);
  scores.overlap = {half.true_positives, half.false_positives, foreground - half.true_positives};
  return scores;
}

ImageScores ScoreProbabilities(const FloatMap& probabilities, const ByteMap& mask,
                               ImageScratch& scratch) {
  CheckMap(mask, "mask");
  ToBytes(probabilities, mask.height, mask.width, scratch.bytes);
  return ScoreImage({scratch.bytes, mask.height, mask.width}, mask, scratch);
}

}  // namespace flowtrain::model::metrics
