// What a run has over all of its phases: where its words go, the consumers that live through it, and
// what ends it. Owned by the executor; the phases use it. Any thread.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <flowtrain/stage.h>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/bad_samples.h"
#include "pipeline/graph/batch_hashes.h"
#include "pipeline/graph/executor_options.h"
#include "pipeline/graph/granted_cpus.h"
#include "pipeline/graph/opened_stages.h"
#include "pipeline/storage/caches.h"

namespace flowtrain::graph {

struct RunParts {
  RunParts(const config::ValidatedGraph& graph, RunHost& host, metrics::RunMetrics& metrics,
           ExecutorOptions options);

  RunHost& host;
  metrics::RunMetrics& metrics;
  const ExecutorOptions options;
  const GrantedCpus granted;
  const int workers;
  std::unique_ptr<BatchHashes> hashes;  // null: not asked for
  BadSamples bad;
  std::vector<std::unique_ptr<Consumer>> consumers;  // in the order of the graph's; opened once
  OpenedStages open_consumers;
  storage::Caches caches;

  // Ends the run; the first cause wins.
  void Fail(std::exception_ptr cause);
  // Ends the run as an interrupt.
  void Stop();
  bool stopped() const;
  std::exception_ptr error() const;
  // Something moved that the waiting main thread should look at.
  void Wake();
  // Returns after `limit`, or sooner where something was said above, before this call or during it.
  void Wait(std::chrono::milliseconds limit);

  // Each message once, and no flood of them.
  void WarnOnce(const std::string& message);
  // What a start or an end has last turned to, by its stage's name, for when it doesn't return.
  void SetAtWork(const std::string& stage);
  std::string at_work() const;

 private:
  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  bool stopped_ = false, woken_ = false;
  std::exception_ptr error_;
  std::set<std::string> warned_;
  std::string at_work_ = "the start";
};

}  // namespace flowtrain::graph
