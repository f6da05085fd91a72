#include "model/edgenext.h"

#include <stdexcept>

#include "model/describe/part_scope.h"
#include "model/edgenext_blocks.h"
#include "model/layers/channel_norm.h"
#include "model/layers/conv.h"
#include "model/layers/init.h"
#include "model/layers/numbered.h"
#include "model/layers/recompute.h"

namespace flowtrain::model {
namespace {

constexpr std::array<int64_t, 4> kKernels = {3, 5, 7, 9};
constexpr std::array<int64_t, 4> kScales = {2, 2, 3, 4};

}  // namespace

const EdgeNextVariant& FindEdgeNext(const std::string& name) {
  std::string names;
  for (const auto& variant : kEdgeNextVariants) {
    if (variant.name == name) return variant;
    names += (names.empty() ? "" : ", ") + std::string(variant.name);
  }
  throw std::invalid_argument("backbone: '" + name + "' is unknown; allowed: " + names);
}

// Downsampling (all but the first stage), then depth blocks, of which the last is an SDTA block in
// all but the first stage.
class EdgeNextStage : public torch::nn::Module {
 public:
  // rate(block): its drop path rate, block counted within the stage.
  template <typename Rate>
  EdgeNextStage(const EdgeNextVariant& variant, int64_t stage, const Rate& rate, bool recompute)
      : recompute_(recompute) {
    const auto channels = variant.dims[stage];
    if (stage > 0) {
      const auto downsample = register_module("downsample", std::make_shared<Numbered>());
      norm_ = downsample->Add(0, std::make_shared<ChannelNorm>(variant.dims[stage - 1]));
      conv_ = downsample->Add(1, PatchConv(variant.dims[stage - 1], channels, 2));
    }
    const auto blocks = register_module("blocks", std::make_shared<Numbered>());
    for (int64_t i = 0; i < variant.depths[stage]; ++i) {
      std::shared_ptr<EdgeNextBlock> block;
      if (stage > 0 && i == variant.depths[stage] - 1) {
        block = std::make_shared<SdtaBlock>(channels, variant.heads, kScales[stage],
                                            /*with_position=*/stage == 1, rate(i));
      } else {
        block = std::make_shared<ConvBlock>(channels, kKernels[stage], rate(i));
      }
      blocks_.push_back(blocks->Add(i, block));
    }
  }

  torch::Tensor Forward(torch::Tensor x) {
    if (norm_) x = conv_->forward(norm_->Forward(x));
    for (const auto& block : blocks_) x = ForwardOf(block, x, recompute_);
    return x;
  }

 private:
  const bool recompute_;
  std::shared_ptr<ChannelNorm> norm_;
  Conv conv_{nullptr};
  std::vector<std::shared_ptr<EdgeNextBlock>> blocks_;
};

EdgeNextTrunk::EdgeNextTrunk(torch::nn::Module& owner, EdgeNextKeys keys,
                             const EdgeNextVariant& variant, double drop_path, bool recompute) {
  const bool whole = keys == EdgeNextKeys::kWhole;
  // Adds `child` under `group`, numbered: one module of numbered children, or one name with both.
  const auto adder = [&](const std::string& group) {
    const auto numbered =
        whole ? owner.register_module(group, std::make_shared<Numbered>()) : nullptr;
    return [&owner, group, numbered](int64_t number, auto child) {
      if (numbered) return numbered->Add(number, child);
      return owner.register_module(group + "_" + std::to_string(number), child);
    };
  };
  const auto add_to_stem = adder("stem");
  stem_conv_ = add_to_stem(0, PatchConv(3, variant.dims[0], 4));
  stem_norm_ = add_to_stem(1, std::make_shared<ChannelNorm>(variant.dims[0]));
  const auto add_to_stages = adder("stages");
  int64_t total = 0;
  for (const auto depth : variant.depths) total += depth;
  int64_t first = 0;
  for (size_t i = 0; i < stages_.size(); ++i) {
    const auto rate = [&](int64_t block) { return drop_path * (first + block) / (total - 1); };
    stage_keys_[i] = (whole ? "stages." : "stages_") + std::to_string(i);
    stages_[i] = add_to_stages(i, std::make_shared<EdgeNextStage>(variant, i, rate, recompute));
    first += variant.depths[i];
  }
}

EdgeNext::EdgeNext(const EdgeNextVariant& variant, double drop_path, bool recompute)
    : trunk_(*this, EdgeNextKeys::kFeatures, variant, drop_path, recompute) {
  InitTruncatedNormal(*this);
}

torch::Tensor EdgeNextTrunk::Stem(const torch::Tensor& images) {
  const PartScope part("stem");
  return stem_norm_->Forward(stem_conv_->forward(images));
}

std::vector<torch::Tensor> EdgeNextTrunk::Forward(const torch::Tensor& images) {
  std::vector<torch::Tensor> features;
  for (size_t i = 0; i < stages_.size(); ++i) {
    features.push_back(ForwardStage(i, i == 0 ? images : features.back()));
  }
  return features;
}

torch::Tensor EdgeNextTrunk::ForwardStage(size_t i, const torch::Tensor& from) {
  const auto x = i == 0 ? Stem(from) : from;
  const PartScope part(stage_keys_.at(i).c_str());
  return stages_[i]->Forward(x);
}

}  // namespace flowtrain::model
