// From what a graph says of CamoXpert to its options.
#pragma once

#include <string>

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

// "camoxpert on edgenext_base, encoder gate, 3 of 7 experts an image"; `attention`: names that as well.
inline std::string CamoXpertInWords(const ModelParams& p, bool attention) {
  return p.network + " on " + p.backbone + ", encoder " + p.encoder + ", " +
         (attention ? p.attention + " attention, " : "") + std::to_string(p.top_k) + " of " +
         std::to_string(p.experts.size()) + " experts an image";
}

}  // namespace flowtrain::train
