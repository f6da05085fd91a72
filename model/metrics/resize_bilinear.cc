#include <algorithm>

#include "model/metrics/to_bytes.h"

namespace flowtrain::model::metrics {
namespace {

struct Tap {
  size_t first;
  size_t second;
  float weight;  // of the second
};

// Where the output's pixels lie between the input's, along one side.
std::vector<Tap> Taps(size_t in, size_t out) {
  std::vector<Tap> taps(out);
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  for (size_t i = 0; i < out; ++i) {
    const float at = std::max(scale * (static_cast<float>(i) + 0.5f) - 0.5f, 0.0f);
    const size_t first = std::min(static_cast<size_t>(at), in - 1);
    taps[i] = {first, std::min(first + 1, in - 1), std::min(at - static_cast<float>(first), 1.0f)};
  }
  return taps;
}

}  // namespace

std::vector<float> ResizeBilinear(const FloatMap& map, size_t height, size_t width) {
  const std::vector<Tap> rows = Taps(map.height, height);
  const std::vector<Tap> columns = Taps(map.width, width);
  std::vector<float> out(height * width);
  std::vector<float> between(map.width);  // two input rows, mixed
  for (size_t y = 0; y < height; ++y) {
    const Tap& row = rows[y];
    const float* above = map.pixels.data() + row.first * map.width;
    const float* below = map.pixels.data() + row.second * map.width;
    for (size_t x = 0; x < map.width; ++x) {
      between[x] = (1 - row.weight) * above[x] + row.weight * below[x];
    }
    for (size_t x = 0; x < width; ++x) {
      const Tap& c = columns[x];
      out[y * width + x] = (1 - c.weight) * between[c.first] + c.weight * between[c.second];
    }
  }
  return out;
}

}  // namespace flowtrain::model::metrics
