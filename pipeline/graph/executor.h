// Runs a validated graph: opens its stages, lays the flow graph and the queues, and sees the run to its
// end, whichever it is. One for a run; the main thread owns it. Stop may come from any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/executor_options.h"
#include "pipeline/graph/gate.h"
#include "pipeline/graph/outcome.h"
#include "pipeline/graph/run_host.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

struct PhaseStart;

class Executor {
 public:
  Executor(const config::ValidatedGraph& graph, RunHost& host, metrics::RunMetrics& metrics, ExecutorOptions options);
  // Where something was left behind, what it uses stays; `host` and `metrics` must then stay too.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Makes and opens the stages of the first phase, or of the one that `resume` (a checkpoint's state and
  // folder) stands in, sources first, and allocates the slots. Throws OpenRefused, Cancelled (Stop was
  // called), OpenAbandoned or Error.
  void Open(const Value* resume = nullptr, const std::filesystem::path& folder = {});
  // Goes through the phases. Blocks until the run has ended and everything has returned, or was left
  // behind.
  Outcome Run();
  // Ends the run as an interrupt, also while Open is at work.
  void Stop();

  // What is in force in this phase, for the block printed at the start.
  int workers() const;
  std::string settings() const;
  uint64_t bad_samples() const;
  // After Run.
  Totals totals() const;
  // What is to be said of each source's reads once Run has returned (of the last phase): name and text.
  std::vector<std::pair<std::string, std::string>> ReadingLines() const;
  Gate::Peaks peaks() const;

 private:
  struct Core;
  void OpenPhase(const PhaseStart& start);
  bool NextPhase(Outcome& outcome);

  std::shared_ptr<Core> core_;
};

// Which parameters of a saved run differ in `graph`; empty: it can go on. With `moved`, other
// places of files that the checkpoint knows by name (Source::Fingerprint) are no difference, and
// are listed there.
std::vector<std::string> ResumeDifferences(const config::ValidatedGraph& graph,
                                           const Value& checkpoint,
                                           std::vector<std::string>* moved = nullptr);

}  // namespace flowtrain::graph
