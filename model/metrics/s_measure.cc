#include "model/metrics/s_measure.h"

#include <algorithm>
#include <cmath>

#include "model/metrics/epsilon.h"

namespace flowtrain::model::metrics {
namespace {

struct Moments {
  double count = 0;
  double sum = 0;
};

Moments SumLevels(const Histogram& histogram, const Levels& levels) {
  Moments moments;
  for (size_t v = 0; v < 256; ++v) {
    const double n = static_cast<double>(histogram[v]);
    moments.count += n;
    moments.sum += n * levels.p[v];
  }
  return moments;
}

double SquaredDeviations(const Histogram& histogram, const Levels& levels, double mean) {
  double sum = 0;
  for (size_t v = 0; v < 256; ++v) {
    const double deviation = levels.p[v] - mean;
    sum += static_cast<double>(histogram[v]) * deviation * deviation;
  }
  return sum;
}

// 2m / (m^2 + 1 + sigma), m being the mean of p on the foreground, of 1 - p on the background.
double ObjectScore(const Histogram& histogram, const Levels& levels, bool foreground) {
  const Moments moments = SumLevels(histogram, levels);
  const double mean = moments.sum / moments.count;
  double sigma = 0;
  if (moments.count > 1) {
    sigma = std::sqrt(SquaredDeviations(histogram, levels, mean) / (moments.count - 1));
  }
  const double m = foreground ? mean : 1 - mean;
  return 2 * m / (m * m + 1 + sigma + kEpsilon);
}

bool HasOneLevel(const Quadrant& quadrant) {
  const auto occupied = [&](size_t v) {
    return quadrant.foreground[v] + quadrant.background[v] > 0;
  };
  int levels = 0;
  for (size_t v = 0; v < 256; ++v) levels += occupied(v);
  return levels == 1;
}

// The structural similarity of one quadrant; 0 without pixels.
double QuadrantScore(const Quadrant& quadrant, const Levels& levels) {
  const Moments fg = SumLevels(quadrant.foreground, levels);
  const Moments bg = SumLevels(quadrant.background, levels);
  const double count = fg.count + bg.count;
  // A constant mask has no covariance with anything, exactly. Where the prediction is constant too,
  // rounding must not make its variance more than 0.
  if (fg.count == 0 || bg.count == 0) return HasOneLevel(quadrant) ? 1 : 0;

  const double x = (fg.sum + bg.sum) / count;
  const double y = fg.count / count;
  const double unbiased = count - 1 + kEpsilon;
  const double variance_x = (SquaredDeviations(quadrant.foreground, levels, x) +
                             SquaredDeviations(quadrant.background, levels, x)) /
                            unbiased;
  const double variance_y = (fg.count * (1 - y) * (1 - y) + bg.count * y * y) / unbiased;
  const double covariance =
      ((fg.sum - fg.count * x) * (1 - y) - (bg.sum - bg.count * x) * y) / unbiased;
  const double a = 4 * x * y * covariance;
  const double b = (x * x + y * y) * (variance_x + variance_y);
  if (a != 0) return a / (b + kEpsilon);
  return b == 0 ? 1 : 0;
}

double RegionScore(const Regions& regions, const Levels& levels) {
  double score = 0;
  double weights = 0;
  for (size_t k = 0; k < 4; ++k) {
    const Quadrant& quadrant = regions.quadrants[k];
    const double area = static_cast<double>(quadrant.height * quadrant.width);
    const double weight = k == 3 ? 1 - weights : area / static_cast<double>(regions.pixels);
    weights += weight;
    score += weight * QuadrantScore(quadrant, levels);
  }
  return score;
}

}  // namespace

double SMeasure(const Regions& regions, const Levels& levels) {
  const double pixels = static_cast<double>(regions.pixels);
  if (regions.foreground_pixels == 0) return 1 - SumLevels(regions.background, levels).sum / pixels;
  if (regions.foreground_pixels == regions.pixels) {
    return SumLevels(regions.foreground, levels).sum / pixels;
  }
  const double y = static_cast<double>(regions.foreground_pixels) / pixels;
  const double object = y * ObjectScore(regions.foreground, levels, true) +
                        (1 - y) * ObjectScore(regions.background, levels, false);
  return std::max(0.0, 0.5 * object + 0.5 * RegionScore(regions, levels));
}

}  // namespace flowtrain::model::metrics
