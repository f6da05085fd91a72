// Which sample of which source stands at each index of a mix: a pure function of index and epoch. Plain
// arithmetic, the same on every machine. Made in Open, then const: any thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowtrain::data {

class MixOrder {
 public:
  struct Source {
    std::string name;
    uint64_t size = 0;    // > 0
    double weight = 0;    // >= 0
  };
  // What can't be mixed, and the parameter to blame.
  struct Refused : std::runtime_error {
    Refused(std::string p, const std::string& why) : std::runtime_error(why), parameter(std::move(p)) {}
    std::string parameter;
  };

  // `epoch_samples`: 0, or the size of an epoch, shared out by the weights (largest remainder; the
  // earlier source where two are equal). 0: all of the source that is exhausted first at these
  // weights, once, and as many of the others as their weights ask beside it (rounded).
  MixOrder(const std::vector<Source>& sources, uint64_t epoch_samples);

  uint64_t size() const { return size_; }  // of an epoch
  const std::vector<uint64_t>& counts() const { return counts_; }  // of each source in an epoch

  struct Place {
    size_t source = 0;
    uint64_t index = 0;  // in that source
    uint64_t cycle = 0;  // how often all of that source was drawn before
  };
  // A source's draws are numbered through all epochs: number g is of cycle g / size. Each cycle has every
  // sample once, in one fixed order that steps evenly over the source, so that a part of a cycle is a
  // fair sample of it although files stand sorted. Reckoned for each index anew: nothing is kept that
  // grows with the epoch.
  Place At(uint64_t index, uint64_t epoch) const;

 private:
  struct Draw {
    size_t source = 0;
    uint64_t number = 0;  // among this epoch's draws of the source
  };
  // Which draw stands at an index: the sources' draws are spread evenly over the epoch.
  Draw DrawAt(uint64_t index) const;
  // The index at which a draw stands.
  uint64_t IndexOf(const Draw& draw) const;

  uint64_t size_ = 0;
  std::vector<uint64_t> sizes_, strides_, counts_;
};

}  // namespace flowtrain::data
