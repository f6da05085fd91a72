#include "stages/image/resample/taps.h"

#include <algorithm>
#include <cmath>

#include "stages/image/bounded.h"

namespace flowtrain::image {
namespace {

constexpr int kOne = 1 << kWeightBits;
// Of so many pixels each weight is a few units, or less than one: rounded one by one they would add
// up to anything, so what is rounded is their running sum.
constexpr size_t kManyTaps = 1024;

void RoundEach(const std::vector<double>& exact, double sum, std::vector<int>& weights) {
  int left = kOne;
  for (const double weight : exact) {
    weights.push_back(static_cast<int>(std::lround(weight / sum * kOne)));
    left -= weights.back();
  }
  *std::max_element(weights.begin(), weights.end()) += left;
}

void RoundSums(const std::vector<double>& exact, double sum, std::vector<int>& weights) {
  double before = 0;
  int given = 0;
  for (const double weight : exact) {
    before += weight;
    weights.push_back(static_cast<int>(std::lround(before / sum * kOne)) - given);
    given += weights.back();
  }
}

// The weights around `centre`, summing up to kOne; how many pixels before `first` were of no weight
// comes off the front.
void Weigh(double centre, double radius, const Side& side, int& first, std::vector<int>& weights) {
  first = Bounded(std::floor(centre - radius + 0.5), side.begin, side.end - 1);
  const int end = Bounded(std::floor(centre + radius + 0.5), first + 1, side.end);
  weights.clear();
  std::vector<double> exact;
  double sum = 0;
  for (int x = first; x < end; ++x) {
    exact.push_back(std::max(0.0, 1 - std::abs(x + 0.5 - centre) / radius));
    sum += exact.back();
  }
  if (sum <= 0) exact.assign(1, sum = 1);  // beyond the edge: its pixel
  if (exact.size() > kManyTaps) {
    RoundSums(exact, sum, weights);
  } else {
    RoundEach(exact, sum, weights);
  }
  while (weights.back() == 0) weights.pop_back();
  const auto used = std::find_if(weights.begin(), weights.end(), [](int w) { return w != 0; });
  first += static_cast<int>(used - weights.begin());
  weights.erase(weights.begin(), used);
}

}  // namespace

Taps TriangleTaps(const Side& side, int outputs, bool antialias, bool mirror) {
  const double step = side.length / outputs;
  const double radius = antialias ? std::max(step, 1.0) : 1.0;
  Taps taps;
  taps.width = (Bounded(std::ceil(2 * radius), 1, side.end - side.begin) + 2) / 2 * 2;
  taps.first.resize(outputs);
  taps.counts.resize(outputs);
  taps.weights.resize(static_cast<size_t>(outputs) * taps.width);
  std::vector<int> weights;
  int most = 1;
  for (int i = 0; i < outputs; ++i) {
    const int to = mirror ? outputs - 1 - i : i;
    Weigh(side.start + (i + 0.5) * step, radius, side, taps.first[to], weights);
    taps.counts[to] = static_cast<int>(weights.size());
    most = std::max(most, taps.counts[to]);
    std::copy(weights.begin(), weights.end(), taps.weights.begin() + to * taps.width);
  }
  const int needed = (most + 1) / 2 * 2;
  for (int i = 0; i < outputs && needed < taps.width; ++i) {
    std::copy_n(taps.weights.begin() + i * taps.width, needed, taps.weights.begin() + i * needed);
  }
  taps.width = needed;
  taps.weights.resize(static_cast<size_t>(outputs) * needed);
  return taps;
}

std::vector<int> NearestPixels(const Side& side, int outputs, bool mirror) {
  std::vector<int> pixels(outputs);
  const double step = side.length / outputs;
  for (int i = 0; i < outputs; ++i) {
    const double centre = side.start + (i + 0.5) * step;
    pixels[mirror ? outputs - 1 - i : i] = Bounded(std::floor(centre), side.begin, side.end - 1);
  }
  return pixels;
}

}  // namespace flowtrain::image
