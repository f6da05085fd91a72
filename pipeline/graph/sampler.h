// Which sample stands where: maps the endless count of a chain's samples to epoch, batch, row and the
// source's index. A pure function of seed, epoch and settings; the permutations of the epochs in use
// are kept. Owned by the gate, called under its lock but for DrawOrder, which takes 0.1 s for 10^6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flowtrain::graph {

// Where a sample goes. `batch` counts from the start of training, over all epochs.
struct Address {
  uint64_t count = 0;     // of the chain's samples, from the start of training
  uint64_t epoch = 0;
  uint64_t position = 0;  // in the epoch's global order
  uint64_t index = 0;     // in the source
  uint64_t batch = 0;
  int row = 0;
  bool padding = false;
};

class Sampler {
 public:
  struct Settings {
    uint64_t size = 0;  // of the source
    int batch = 1;
    std::string last_batch = "drop";  // drop | partial | pad
    bool shuffle = false;
    uint64_t seed = 0;
    int rank = 0, world_size = 1;
  };
  // Throws Error where an epoch would have no batch.
  explicit Sampler(Settings settings);

  uint64_t batches_per_epoch() const { return batches_per_epoch_; }
  uint64_t samples_per_epoch() const { return samples_per_epoch_; }  // padding rows included
  int rows_of(uint64_t batch) const;                                 // filled rows of that batch
  uint64_t first_of(uint64_t batch) const;                           // count of its first sample
  Address At(uint64_t count);  // draws the epoch's order where nobody has
  // The epoch after the one of `count`, where its order is still to be drawn.
  std::optional<uint64_t> OrderToDraw(uint64_t count) const;
  std::vector<uint32_t> DrawOrder(uint64_t epoch) const;
  void KeepOrder(uint64_t epoch, std::vector<uint32_t> order);
  // The index that stands in for a bad sample: attempt 1, 2, ...
  uint64_t Replacement(uint64_t epoch, uint64_t position, uint32_t attempt) const;

 private:
  const std::vector<uint32_t>& Order(uint64_t epoch);

  Settings settings_;
  uint64_t share_ = 0;  // samples of an epoch that are this rank's
  uint64_t samples_per_epoch_ = 0;
  uint64_t batches_per_epoch_ = 0;
  struct Kept {
    std::optional<uint64_t> epoch;
    std::vector<uint32_t> order;
  };
  Kept kept_[2];  // reads run ahead across one border of epochs
};

}  // namespace flowtrain::graph
