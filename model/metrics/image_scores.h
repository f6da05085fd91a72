// The metrics of one image, all in float64.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/metrics/maps.h"
#include "model/metrics/overlap.h"
#include "model/metrics/weighted_f.h"

namespace flowtrain::model::metrics {

// One value per threshold on the normalised prediction: >= 255, 254, ..., 0.
using Curve = std::array<double, 256>;

struct ImageScores {
  double mae = 0;         // mean |p - g| (F. Perazzi et al., CVPR 2012); 0..1, less is better
  double s_measure = 0;   // 0..1
  double weighted_f = 0;  // 0..1
  double adaptive_f = 0;  // 0..1; at the threshold min(2 mean(p), 1)
  double adaptive_e = 0;  // 0..pixels / (pixels - 1)
  Curve f{};
  Curve e{};
  Overlap overlap;  // at p > 0.5
};

// What one thread reuses from image to image: about 6 bytes a pixel of the largest one.
struct ImageScratch {
  WeightedFScratch weighted_f;
  std::vector<uint8_t> bytes;
};

// prediction: 8-bit; its range is stretched to 0..1 where it isn't constant. mask: of the same
// size, foreground > 128. Throws std::invalid_argument, naming both sizes, where they differ, and
// for maps without pixels. Definitions and values as PySODMetrics 1.6.2; where those are NaN or
// left to rounding, see s_measure.h.
ImageScores ScoreImage(const ByteMap& prediction, const ByteMap& mask, ImageScratch& scratch);

// The same of a network's probabilities of any size: first ToBytes (to_bytes.h) at the mask's size.
ImageScores ScoreProbabilities(const FloatMap& probabilities, const ByteMap& mask,
                               ImageScratch& scratch);

}  // namespace flowtrain::model::metrics
