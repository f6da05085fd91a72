#include "bench/measure.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace flowtrain::bench {

Cost Now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return t.tv_sec + 1e-6 * t.tv_usec; };
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), wall.count(), 0};
}

Cost operator-(const Cost& later, const Cost& earlier) {
  return {later.cpu_s - earlier.cpu_s, later.wall_s - earlier.wall_s, later.samples - earlier.samples};
}

Cost& operator+=(Cost& sum, const Cost& more) {
  sum.cpu_s += more.cpu_s;
  sum.wall_s += more.wall_s;
  sum.samples += more.samples;
  return sum;
}

// Ranks l and n + 1 - l cover the median with probability 1 - 2 P(B(n, 1/2) < l).
Median MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  size_t below = 0;
  double tail = 0, term = std::pow(0.5, static_cast<double>(n));
  while (below + 1 < n / 2 && tail + term <= 0.025) {
    tail += term;
    term *= static_cast<double>(n - below) / static_cast<double>(below + 1);
    ++below;
  }
  const size_t low = below > 0 ? below - 1 : 0;
  return {(values[(n - 1) / 2] + values[n / 2]) / 2, values[low], values[n - 1 - low]};
}

}  // namespace flowtrain::bench
