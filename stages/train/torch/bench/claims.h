// What is claimed of CamoXpert's design, measured: each comparison by turns, forward alone and forward
// with backward.
#pragma once

#include <ostream>

#include "stages/train/bench/options.h"
#include "stages/train/torch/device.h"

namespace flowtrain::train::bench {

void MeasureClaims(const BenchOptions& options, const Device& device, std::ostream& out);

// Latency and images a second of the network in eval mode, by batch.
void MeasureInference(const BenchOptions& options, const Device& device, std::ostream& out);

}  // namespace flowtrain::train::bench
