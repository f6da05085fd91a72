// CamoXpert's options and the names they allow. Free of LibTorch, so that a declaration of the
// trainer can use it without opening LibTorch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtrain::model {

inline constexpr std::array<std::string_view, 7> kExpertNames = {
    "texture", "attention", "hybrid", "frequency", "edge", "semantic_context", "contrast"};
inline constexpr std::array<std::string_view, 2> kEncoderNames = {"gate", "sdta"};
inline constexpr std::array<std::string_view, 2> kAttentionNames = {"linear", "standard"};

struct CamoXpertOptions {
  std::string backbone = "edgenext_base";  // a name in kEdgeNextVariants
  std::string encoder = "gate";            // gate, or gate block and attention a stage: sdta
  std::string attention = "linear";        // of the attention expert and the sdta encoder
  int64_t top_k = 3;                       // experts an image goes through, 1..experts.size()
  std::vector<std::string> experts = {kExpertNames.begin(), kExpertNames.end()};
  double balance_weight = 0.01;  // >= 0, of the routers' load-balance loss
  double z_weight = 0;           // >= 0, of the routers' z-loss; 1e-3 where it is used
  double drop_path = 0;          // [0, 1), the backbone's last block's rate
  bool deep_supervision = true;  // side logits while training
  // Backbone blocks, stage encoders and experts keep their input only; the decoder's batch norms would
  // count a batch twice.
  bool gradient_checkpointing = false;
};

// "a, b, c", for error messages.
template <typename Names>
std::string JoinNames(const Names& names) {
  std::string joined;
  for (const auto& name : names) joined.append(joined.empty() ? "" : ", ").append(name);
  return joined;
}

}  // namespace flowtrain::model
