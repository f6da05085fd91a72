// The time of a whole training step, on data that stays on the device.
#pragma once

#include <functional>
#include <ostream>

#include "stages/train/bench/options.h"
#include "stages/train/torch/device.h"

namespace flowtrain::train::bench {

// One training step of options.step (camoxpert where empty), as often as it is called.
std::function<void()> StepOf(const BenchOptions& options, const Device& device);

// Blocks of steps, a line of JSON each: so another program's blocks can be run by turns with them.
void MeasureSteps(const BenchOptions& options, const Device& device, std::ostream& out);

}  // namespace flowtrain::train::bench
