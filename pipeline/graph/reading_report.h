// What is to be said of each source's reads when a run ends: from what the stages' series say since the
// phase began. One a phase, made when it starts; the executor owns it.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/reading_need.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

class ReadingReport {
 public:
  ReadingReport(const config::ValidatedGraph& graph, const metrics::RunMetrics& metrics, int workers);
  // The phase's consumers are through.
  void End();
  // A source and a text each.
  std::vector<std::pair<std::string, std::string>> Lines() const;

 private:
  std::vector<ReadingWork> Sums() const;  // since the run began, a chain each

  const config::ValidatedGraph& graph_;
  const metrics::RunMetrics& metrics_;
  const int workers_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  const std::vector<ReadingWork> before_;
  std::vector<ReadingWork> work_;
};

}  // namespace flowtrain::graph
