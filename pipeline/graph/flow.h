// The oneTBB flow graph of a run: bind -> transform -> ... -> finish, one such path a chain, all in one
// task arena. The only file that speaks of edges. What bounds it is the gate: a permit enters only for a
// sample that is ready and has a slot. pipeline/README.md tells which arrangements were measured.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/graph/gate.h"
#include "pipeline/graph/work.h"

namespace flowtrain::graph {

class Flow {
 public:
  static constexpr char kName[] = "the compute workers";  // in errors and reports
  // Ends each sample, on the worker that ran it, and gives the one that this worker goes on with, if there
  // is any. What it throws ends the run.
  using Finish = std::function<std::optional<Unit>(Work&)>;
  Flow(Gate& gate, const std::vector<std::unique_ptr<ChainStages>>& chains, int workers, Finish finish);
  // Ended before, or the process leaves.
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  // The gate's hooks: Reserve keeps the graph alive for a Put that follows, on any thread.
  void Reserve();
  void Put(int chain);

  void Start();
  // After Gate::Stop: true once every body has returned, within `limit`.
  bool End(std::chrono::steady_clock::duration limit);
  // oneTBB has given up on the graph (no memory for the next body's task): nothing of it will run any more.
  bool given_up() const;
  // What runs now.
  std::vector<Work::Running> running() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace flowtrain::graph
