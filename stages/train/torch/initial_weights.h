// The weights that a graph names for a new run's network. In Open, on the main thread.
#pragma once

#include <flowtrain/context.h>
#include <torch/torch.h>

#include "stages/train/segmentation_params.h"

namespace flowtrain::train {

// Loads what `params` name, if anything, and says what was loaded and what not. Refuses, by the
// parameter's place, a file that can't be read or, where params.strict, doesn't fit.
void LoadInitialWeights(OpenContext& context, const ModelParams& params,
                        torch::nn::Module& network);

}  // namespace flowtrain::train
