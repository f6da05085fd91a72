// What a measurement is, and what is said of several.
#pragma once

#include <cstdint>
#include <vector>

namespace flowtrain::bench {

struct Cost {
  double cpu_s = 0;   // of all threads of the process
  double wall_s = 0;
  uint64_t samples = 0;
};

// Since the process began.
Cost Now();
Cost operator-(const Cost& later, const Cost& earlier);
Cost& operator+=(Cost& sum, const Cost& more);

// The median of `values` and the interval that holds it with 95% probability, by order statistics
// (for 11 values the 2nd and the 10th: 98.8%).
struct Median {
  double median = 0, low = 0, high = 0;
};
Median MedianOf(std::vector<double> values);

}  // namespace flowtrain::bench
