// Latency and images a second of the network in eval mode, by batch.
#pragma once

#include <ostream>

#include "stages/train/bench/options.h"
#include "stages/train/torch/device.h"

namespace flowtrain::train::bench {

void MeasureInference(const BenchOptions& options, const Device& device, std::ostream& out);

}  // namespace flowtrain::train::bench
