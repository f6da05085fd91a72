// What `flowtrain run` prints when it has ended: figures, and commands to try next. Main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/outcome.h"
#include "pipeline/run/summary.h"

namespace flowtrain::cli {

struct RunOptions;

struct RunEnd {
  graph::Outcome::Kind kind = graph::Outcome::kDone;
  bool resumed = false;
  graph::Totals totals;
  double seconds = 0;
  double gpu_utilization = -1;  // mean, 0..1; below 0: there is no GPU
  uint64_t bad_samples = 0;
  run::SummaryLines stages;          // what stages had to say
  std::filesystem::path checkpoint;  // to go on from; empty: there is none
  std::filesystem::path run_dir;

  // It was through before: this time nothing came.
  bool nothing_to_do() const {
    return resumed && kind == graph::Outcome::kDone && totals.images == 0;
  }
};

std::string SummaryText(const RunOptions& options, const config::ValidatedGraph& graph,
                        const RunEnd& end);

}  // namespace flowtrain::cli
