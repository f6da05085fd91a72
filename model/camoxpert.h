// CamoXpert: camouflaged-object segmentation with a mixture of experts a stage (the public
// CamoXpert project; its state-dict keys). Backbone -> stage encoders -> mixtures of experts ->
// decoder.
#pragma once

#include <memory>

#include "model/camoxpert_options.h"
#include "model/network.h"

namespace flowtrain::model {

// Weights are random, from LibTorch's default generator. Throws std::invalid_argument that names
// the option, its value and what is allowed.
std::shared_ptr<SegmentationNetwork> MakeCamoXpert(const CamoXpertOptions& options);

}  // namespace flowtrain::model
