#include "model/metrics/regions.h"

#include <cmath>

namespace flowtrain::model::metrics {
namespace {

struct Split {
  size_t row;  // rows [0, row) are the top
  size_t column;
};

Split SplitAtCentroid(const ByteMap& mask) {
  int64_t count = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  for (size_t y = 0; y < mask.height; ++y) {
    const uint8_t* row = mask.pixels.data() + y * mask.width;
    uint32_t in_row = 0;
    uint32_t at = 0;  // at most 32,767^2 / 2
    for (uint32_t x = 0; x < mask.width; ++x) {
      const uint32_t foreground = IsForeground(row[x]);
      in_row += foreground;
      at += foreground * x;
    }
    count += in_row;
    rows += static_cast<int64_t>(in_row) * static_cast<int64_t>(y);
    columns += at;
  }
  if (count == 0) return {mask.height, mask.width};
  // rint rounds half to even, as numpy does. Plus one: MATLAB's 1:X contains X.
  const auto split = [count](int64_t sum) {
    return static_cast<size_t>(std::rint(static_cast<double>(sum) / static_cast<double>(count))) +
           1;
  };
  return {split(rows), split(columns)};
}

// Levels of the background, then of the foreground. Neighbours mostly have one level; two banks by
// turns keep an increment from waiting for the one before it.
struct Counts {
  std::array<std::array<uint32_t, 512>, 2> banks{};

  void Add(const uint8_t* prediction, const uint8_t* mask, size_t count) {
    const auto bin = [&](size_t i) { return prediction[i] + 256u * IsForeground(mask[i]); };
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
      ++banks[0][bin(i)];
      ++banks[1][bin(i + 1)];
    }
    if (i < count) ++banks[0][bin(i)];
  }
};

}  // namespace

Regions CountRegions(const ByteMap& prediction, const ByteMap& mask) {
  const size_t height = mask.height;
  const size_t width = mask.width;
  const Split split = SplitAtCentroid(mask);
  std::array<Counts, 4> counts{};
  for (size_t y = 0; y < height; ++y) {
    const uint8_t* p = prediction.pixels.data() + y * width;
    const uint8_t* m = mask.pixels.data() + y * width;
    const size_t left = y < split.row ? 0 : 2;
    counts[left].Add(p, m, split.column);
    counts[left + 1].Add(p + split.column, m + split.column, width - split.column);
  }

  Regions regions;
  regions.pixels = static_cast<int64_t>(height * width);
  for (size_t k = 0; k < 4; ++k) {
    Quadrant& quadrant = regions.quadrants[k];
    quadrant.height = k < 2 ? split.row : height - split.row;
    quadrant.width = k % 2 == 0 ? split.column : width - split.column;
    const auto& [even, odd] = counts[k].banks;
    for (size_t v = 0; v < 256; ++v) {
      quadrant.background[v] = int64_t{even[v]} + odd[v];
      quadrant.foreground[v] = int64_t{even[256 + v]} + odd[256 + v];
      regions.background[v] += quadrant.background[v];
      regions.foreground[v] += quadrant.foreground[v];
      regions.foreground_pixels += quadrant.foreground[v];
    }
  }
  return regions;
}

}  // namespace flowtrain::model::metrics
