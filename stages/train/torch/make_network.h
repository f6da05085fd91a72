// The network that a graph names: CamoXpert, or one that a plugin provides. In Open, on the main
// thread.
#pragma once

#include <flowtrain/context.h>

#include <memory>

#include "model/network.h"
#include "stages/train/segmentation_params.h"

namespace flowtrain::train {

// Weights are random, from LibTorch's default generator. Refuses, by the parameter's place, a
// network that is not there, what belongs to another network, and what the network itself refuses.
std::shared_ptr<model::SegmentationNetwork> MakeNetwork(OpenContext& context,
                                                        const ModelParams& params);

}  // namespace flowtrain::train
