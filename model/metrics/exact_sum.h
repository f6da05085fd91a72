// A sum of scores whose bits don't depend on the order of the additions, so that images can be
// scored by any number of threads or processes, and their sums merged in any order.
#pragma once

#include <cmath>
#include <cstdint>

namespace flowtrain::model::metrics {

// Fixed point: each value is rounded to a multiple of 2^-53, the sum is exact. Takes values from 0
// to 2^52, the E-measure of a single pixel, and 2^22 of the largest.
class ExactSum {
 public:
  void Add(double value) { units_ += static_cast<Units>(std::rint(std::ldexp(value, kBits))); }
  void Add(const ExactSum& other) { units_ += other.units_; }
  double value() const { return std::ldexp(static_cast<double>(units_), -kBits); }

 private:
  __extension__ typedef __int128 Units;
  static constexpr int kBits = 53;
  Units units_ = 0;
};

}  // namespace flowtrain::model::metrics
