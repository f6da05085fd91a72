// Looks whether a phase still moves. Used by the main thread while it waits.
#pragma once

#include <chrono>

#include "pipeline/graph/phase_run.h"

namespace flowtrain::graph {

class StallWatch {
 public:
  explicit StallWatch(const PhaseRun& phase) : phase_(phase) {}
  // True once a consumer has waited in Pull for stall_timeout while nothing moved. A batch that is being
  // computed, and a read that will be tried again, are no stall.
  bool Stalled();

 private:
  const PhaseRun& phase_;
  uint64_t last_moves_ = 0;
  std::chrono::steady_clock::time_point last_move_at_ = std::chrono::steady_clock::now();
};

}  // namespace flowtrain::graph
