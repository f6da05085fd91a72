// From what a graph says of CamoXpert to its options.
#pragma once

#include "model/camoxpert_options.h"
#include "stages/train/segmentation_params.h"

namespace flowtrain::train {

inline model::CamoXpertOptions CamoXpertOptionsOf(const ModelParams& p) {
  return {.backbone = p.backbone,
          .encoder = p.encoder,
          .attention = p.attention,
          .top_k = p.top_k,
          .experts = p.experts,
          .balance_weight = p.balance_weight,
          .z_weight = p.z_weight,
          .drop_path = p.drop_path,
          .deep_supervision = p.deep_supervision,
          .gradient_checkpointing = p.gradient_checkpointing};
}

}  // namespace flowtrain::train
