// The network that a graph names: CamoXpert, or one that a plugin provides. On the main thread.
#pragma once

#include <flowtrain/context.h>

#include <memory>

#include "model/network.h"
#include "stages/train/segmentation_params.h"

namespace flowtrain::train {

// Weights are random, from LibTorch's default generator. Throws NetworkRefused for a network that is not
// there, what belongs to another network, and what the network itself refuses.
std::shared_ptr<model::SegmentationNetwork> MakeNetwork(const ProvidedLookup& find,
                                                        const ModelParams& params);

// Throws it for what belongs to another network alone.
void RefuseMisplaced(const ModelParams& params);

}  // namespace flowtrain::train
