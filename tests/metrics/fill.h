// A registry as a training run leaves it: every series that the framework and the trainer publish.
// Also used by the fake exporter of tests/dashboard.
#pragma once

#include <string>
#include <vector>

#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::testing {

// Makes and moves every series a little further; call again for the next moment. Returns what keeps
// the pools and queues alive (empty after the first call). `without`: a series of the trainer to
// leave out.
std::vector<metrics::Reading> Fill(metrics::RunMetrics& metrics, int moment,
                                   const std::string& without = "");

}  // namespace flowtrain::testing
