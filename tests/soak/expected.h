// Who must stand in a row, worked out from the contract (seed, epoch, position; README of the sampler's
// settings) and not by the engine's own sampler.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "soak/course.h"

namespace flowtrain::soak {

struct ExpectedRow {
  uint64_t position = 0, index = 0;
  bool padding = false, bad = false;
};

class Expected {
 public:
  Expected(const Course& course, int chain);
  uint64_t batches_per_epoch() const { return batches_; }
  int Rows(uint64_t batch) const;  // `batch` counts over all epochs
  ExpectedRow Row(uint64_t batch, int row);

 private:
  const Course& course_;
  const uint64_t size_;
  uint64_t share_ = 0, batches_ = 0, rows_ = 0;  // of an epoch; rows with padding
  std::optional<uint64_t> epoch_;                // that `order_` is of
  std::vector<uint32_t> order_;
};

}  // namespace flowtrain::soak
