// Random generators put back to where they were, so that work may be done again with the same draws, or
// done beside a step without changing the step's. Local variables on the trainer's thread.
#pragma once

#include <ATen/ATen.h>

#include <utility>
#include <vector>

namespace flowtrain::model {

// The states of the generators that work on `device` may draw from: the CPU's and the device's.
class RandomState {
 public:
  explicit RandomState(at::Device device);
  void Restore() const;

 private:
  void Add(at::Device device);
  std::vector<std::pair<at::Generator, at::Tensor>> states_;
};

// For its lifetime the generators are as they were then, or as they are now; behind it as they are now.
class RandomScope {
 public:
  RandomScope(const RandomState& then, at::Device device) : now_(device) { then.Restore(); }
  explicit RandomScope(at::Device device) : now_(device) {}
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  const RandomState now_;
};

}  // namespace flowtrain::model
