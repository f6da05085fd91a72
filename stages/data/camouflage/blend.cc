#include "stages/data/camouflage/blend.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace flowtrain::data::camouflage {
namespace {

constexpr float kTouched = 1.0f / 512;  // less alpha than that changes no pixel

void MatchHistogram(const Plane& background, const Plane& alpha, Plane& object) {
  std::vector<std::pair<float, uint32_t>> inside;  // ties go by position
  std::vector<float> outside;
  for (uint32_t i = 0; i < object.values.size(); ++i) {
    if (alpha.values[i] > kTouched) inside.emplace_back(object.values[i], i);
    if (alpha.values[i] < 0.5f) outside.push_back(background.values[i]);
  }
  std::sort(inside.begin(), inside.end());
  std::sort(outside.begin(), outside.end());
  for (size_t rank = 0; rank < inside.size(); ++rank) {
    object.values[inside[rank].second] =
        outside[(2 * rank + 1) * outside.size() / (2 * inside.size())];
  }
}

}  // namespace

Plane Hidden(const Plane& background, Plane object, const Plane& alpha) {
  MatchHistogram(background, alpha, object);
  double sum = 0;
  for (const float value : background.values) sum += value;
  const float mean = static_cast<float>(sum / static_cast<double>(background.values.size()));
  Plane out = background;
  for (size_t i = 0; i < out.values.size(); ++i) {
    const float a = alpha.values[i], b = 1 - a;
    if (a <= kTouched) continue;
    out.values[i] = mean + ((object.values[i] - mean) * a + (background.values[i] - mean) * b) /
                               std::sqrt(a * a + b * b);
  }
  return out;
}

}  // namespace flowtrain::data::camouflage
