#include "model/camoxpert.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "model/decoder.h"
#include "model/describe/part_scope.h"
#include "model/edgenext.h"
#include "model/layers/conv.h"
#include "model/layers/numbered.h"
#include "model/layers/recompute.h"
#include "model/layers/resize.h"
#include "model/moe_layer.h"
#include "model/stage_encoder.h"
#include "model/staged_network.h"

namespace flowtrain::model {
namespace {

constexpr int64_t kLastDecoderChannels = 64;

template <typename Names>
void RequireName(const char* option, const std::string& value, const Names& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  throw std::invalid_argument(std::string(option) + ": '" + value +
                              "' is unknown; allowed: " + JoinNames(allowed));
}

template <typename Number>
void RequireRange(const char* option, Number value, bool inside, const std::string& allowed) {
  if (inside) return;
  std::ostringstream message;
  message << option << ": " << value << " is out of range; allowed: " << allowed;
  throw std::invalid_argument(message.str());
}

void Validate(const CamoXpertOptions& options) {
  FindEdgeNext(options.backbone);
  RequireName("encoder", options.encoder, kEncoderNames);
  RequireName("attention", options.attention, kAttentionNames);
  for (const auto& expert : options.experts) RequireName("experts", expert, kExpertNames);
  if (options.experts.empty()) {
    throw std::invalid_argument("experts: the list is empty; allowed: one or more of " +
                                JoinNames(kExpertNames));
  }
  const auto count = static_cast<int64_t>(options.experts.size());
  RequireRange("top_k", options.top_k, options.top_k >= 1 && options.top_k <= count,
               "1.." + std::to_string(count) + ", the number of experts");
  RequireRange("balance_weight", options.balance_weight, options.balance_weight >= 0, ">= 0");
  RequireRange("z_weight", options.z_weight, options.z_weight >= 0, ">= 0");
  RequireRange("drop_path", options.drop_path, options.drop_path >= 0 && options.drop_path < 1,
               "at least 0 and below 1");
}

class CamoXpert : public StagedNetwork {
 public:
  explicit CamoXpert(const CamoXpertOptions& options) : recompute_(options.gradient_checkpointing) {
    const auto& variant = FindEdgeNext(options.backbone);
    const auto& dims = variant.dims;
    const auto attention =
        options.attention == "linear" ? AttentionKind::kLinear : AttentionKind::kStandard;
    const auto encoder_attention =
        options.encoder == "sdta" ? std::optional(attention) : std::nullopt;
    const RouterOptions router = {static_cast<int64_t>(options.experts.size()), options.top_k,
                                  options.balance_weight, options.z_weight};

    backbone_ = register_module("backbone", std::make_shared<EdgeNext>(variant, options.drop_path, recompute_));
    const auto encoders = register_module("sdta_blocks", std::make_shared<Numbered>());
    const auto layers = register_module("moe_layers", std::make_shared<Numbered>());
    for (size_t i = 0; i < dims.size(); ++i) {
      encoders_.push_back(
          encoders->Add(i, std::make_shared<StageEncoder>(dims[i], encoder_attention)));
      layers_.push_back(
          layers->Add(i, std::make_shared<MoeLayer>(dims[i], options.experts, attention, router, recompute_)));
    }
    const auto decoder = register_module("decoder_blocks", std::make_shared<Numbered>());
    for (int64_t i = 0; i < 3; ++i) {
      const auto in = dims[3 - i], skip = dims[2 - i];
      decoder_.push_back(decoder->Add(i, std::make_shared<DecoderBlock>(in, skip, skip)));
    }
    decoder_.push_back(
        decoder->Add(3, std::make_shared<DecoderBlock>(dims[0], 0, kLastDecoderChannels)));
    if (options.deep_supervision) {
      const auto heads = register_module("deep_heads", std::make_shared<Numbered>());
      for (int64_t i = 0; i < 3; ++i) {
        deep_heads_.push_back(heads->Add(i, SameConv(dims[2 - i], 1, 1)));
      }
    }
    final_conv_ = register_module("final_conv", std::make_shared<FinalConv>());
  }

  // A recorded pass could not put the random generators back.
  bool recordable() const override { return !recompute_; }

  size_t layers() const override { return layers_.size(); }

  EncodedLayer Encode(size_t i, const torch::Tensor& from) override {
    const auto x = BackboneStage(i, from);
    EncodedLayer encoded;
    encoded.features = EncodeStage(i, x);
    const PartScope part("moe_layers", i);
    encoded.decision = layers_[i]->Decide(encoded.features);
    if (i + 1 < layers_.size()) encoded.next_from = x;
    return encoded;
  }

  torch::Tensor Mix(size_t i, const EncodedLayer& encoded, const torch::Tensor& chosen) override {
    const PartScope part("moe_layers", i);
    return layers_[i]->Mix(encoded.features, encoded.decision.weights, chosen);
  }

  const std::vector<std::shared_ptr<Expert>>& experts(size_t i) const override {
    return layers_[i]->experts();
  }

  SegmentationOutput Decode(const std::vector<torch::Tensor>& mixed, int64_t height,
                            int64_t width) override {
    SegmentationOutput output;
    auto x = mixed.back();
    for (size_t i = 0; i < decoder_.size(); ++i) {
      x = DecodeStage(i, x, i < 3 ? mixed[2 - i] : torch::Tensor());
      if (is_training() && i < deep_heads_.size()) {
        const PartScope part("deep_heads", i);
        output.deep.push_back(deep_heads_[i]->forward(x));
      }
    }
    const PartScope part("final_conv");
    output.logits = final_conv_->Forward(ResizeTo(x, height, width));
    return output;
  }

 private:
  torch::Tensor BackboneStage(size_t i, const torch::Tensor& from) {
    const PartScope part("backbone");
    return backbone_->ForwardStage(i, from);
  }
  torch::Tensor EncodeStage(size_t i, const torch::Tensor& features) {
    const PartScope part("sdta_blocks", i);
    return ForwardOf(encoders_[i], features, recompute_);
  }
  torch::Tensor DecodeStage(size_t i, const torch::Tensor& x, const torch::Tensor& skip) {
    const PartScope part("decoder_blocks", i);
    return decoder_[i]->Forward(x, skip);
  }

  const bool recompute_;
  std::shared_ptr<EdgeNext> backbone_;
  std::vector<std::shared_ptr<StageEncoder>> encoders_;
  std::vector<std::shared_ptr<MoeLayer>> layers_;
  std::vector<std::shared_ptr<DecoderBlock>> decoder_;
  std::vector<Conv> deep_heads_;
  std::shared_ptr<FinalConv> final_conv_;
};

}  // namespace

std::shared_ptr<SegmentationNetwork> MakeCamoXpert(const CamoXpertOptions& options) {
  Validate(options);
  return std::make_shared<CamoXpert>(options);
}

}  // namespace flowtrain::model
