// What is claimed of CamoXpert's design, measured: each comparison by turns, forward alone and forward
// with backward.
#pragma once

#include <ostream>

#include "stages/train/bench/options.h"
#include "stages/train/torch/device.h"

namespace flowtrain::train::bench {

void MeasureClaims(const BenchOptions& options, const Device& device, std::ostream& out);

}  // namespace flowtrain::train::bench
