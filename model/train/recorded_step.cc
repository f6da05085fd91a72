#include "model/train/recorded_step.h"

#include "model/host_copy.h"
#include "model/train/forward_scope.h"

namespace flowtrain::model {
namespace {

// A loss whose tensors the next replay leaves alone.
LossParts Copied(const LossParts& loss) {
  const auto all = at::stack({loss.total, loss.bce, loss.iou, loss.edge, loss.deep, loss.auxiliary}).unbind();
  return {all[0], all[1], all[2], all[3], all[4], all[5]};
}

}  // namespace

RecordedStep::RecordedStep(StagedNetwork& network, const LossWeights& loss, LowPrecisionWeights* low,
                           const MakeRecorder& make_recorder, const at::Tensor& images,
                           const at::Tensor& masks)
    : network_(network),
      low_(low),
      recorder_(make_recorder()),
      images_(images.clone()),
      masks_(masks.clone()) {
  network_.zero_grad();
  recorder_->ReleaseCache();
  RecordEncode(make_recorder);
  RecordDecode(loss);
  RecordEncodeBackward();
  KeepGradients();
}

void RecordedStep::RecordEncode(const MakeRecorder& make_recorder) {
  for (size_t i = 0; i < network_.layers(); ++i) {
    encode_.push_back(recorder_->Record([&] {
      if (i == 0 && low_ != nullptr) low_->Refresh();
      const ForwardScope scope(images_.device(), low_);
      encoded_.push_back(network_.Encode(i, i == 0 ? images_ : encoded_.back().next_from));
      if (i + 1 == network_.layers()) auxiliary_ = AuxiliaryLoss(encoded_);
    }));
    const auto& experts = network_.experts(i);
    Layer& layer = *layers_.emplace_back(
        std::make_unique<Layer>(encoded_[i], static_cast<int64_t>(experts.size())));
    for (size_t e = 0; e < experts.size(); ++e) {
      layer.experts.emplace_back(experts[e], layer.slots, e, low_, make_recorder);
    }
  }
}

void RecordedStep::RecordDecode(const LossWeights& weights) {
  decode_ = recorder_->Record([&] {
    SegmentationOutput output;
    {
      const ForwardScope scope(images_.device(), low_);
      std::vector<at::Tensor> mixed;
      for (const auto& layer : layers_) mixed.push_back(layer->slots.Combine());
      output = network_.Decode(mixed, images_.size(2), images_.size(3));
    }
    output.auxiliary = auxiliary_.detach();
    loss_ = CamoXpertLoss(output, masks_, weights);
    loss_.total.backward();
    loss_.total = loss_.total.detach();
  });
}

void RecordedStep::RecordEncodeBackward() {
  encode_backward_ = recorder_->Record([&] {
    std::vector<at::Tensor> outputs, gradients;
    for (size_t i = 0; i < encoded_.size(); ++i) {
      const ExpertSlots& slots = layers_[i]->slots;
      outputs.insert(outputs.end(), {encoded_[i].features, encoded_[i].decision.weights});
      gradients.insert(gradients.end(), {slots.FeatureGradient(), slots.WeightGradient()});
    }
    outputs.push_back(auxiliary_);
    gradients.emplace_back();  // 1, made inside the recording: what is made before it is gone at a replay
    torch::autograd::backward(outputs, gradients);
    if (low_ != nullptr) low_->ReturnGradients();
  });
  for (EncodedLayer& layer : encoded_) {
    layer.features = layer.features.detach();
    layer.decision.weights = layer.decision.weights.detach();
    layer.decision.auxiliary.reset();
    layer.next_from.reset();
  }
  auxiliary_ = auxiliary_.detach();
}

void RecordedStep::KeepGradients() {
  for (at::Tensor& parameter : network_.parameters()) {
    if (!parameter.grad().defined()) continue;
    gradients_.emplace_back(parameter, parameter.grad());
    parameter.mutable_grad().reset();
  }
  for (const auto& layer : layers_) {
    for (const RecordedExpert& expert : layer->experts)
      gradients_.insert(gradients_.end(), expert.gradients().begin(), expert.gradients().end());
  }
}

bool RecordedStep::Fits(const at::Tensor& images, const at::Tensor& masks) const {
  return images.sizes() == images_.sizes() && images.scalar_type() == images_.scalar_type() &&
         masks.sizes() == masks_.sizes() && masks.scalar_type() == masks_.scalar_type();
}

RecordedStep::Result RecordedStep::Run(const at::Tensor& images, const at::Tensor& masks) {
  images_.copy_(images);
  masks_.copy_(masks);
  std::vector<HostCopy> chosen;
  for (size_t i = 0; i < encode_.size(); ++i) {
    encode_[i]->Replay();
    chosen.emplace_back(encoded_[i].decision.indices);
  }
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = *layers_[i];
    const std::vector<int64_t> rows = layer.slots.Place(chosen[i].Wait());
    for (size_t e = 0; e < layer.experts.size(); ++e) layer.experts[e].Forward(rows[e]);
  }
  decode_->Replay();
  for (const auto& layer : layers_) {
    for (RecordedExpert& expert : layer->experts) expert.Backward();
  }
  encode_backward_->Replay();
  RecordExperts();
  for (auto& [parameter, gradient] : gradients_) parameter.mutable_grad() = gradient;

  Result result{Copied(loss_), {}};
  for (const EncodedLayer& layer : encoded_) result.usage.push_back(layer.decision.usage.clone());
  return result;
}

// Here the device has all of the backward pass to do, and the host nothing.
void RecordedStep::RecordExperts() {
  constexpr int kMost = 4;  // a step
  int recorded = 0;
  for (const auto& layer : layers_) {
    for (RecordedExpert& expert : layer->experts) {
      if (recorded < kMost && expert.Record()) ++recorded;
    }
  }
}

std::string RecordedStep::fault() const {
  for (const auto& layer : layers_) {
    for (const RecordedExpert& expert : layer->experts) {
      if (!expert.fault().empty()) return expert.fault();
    }
  }
  return "";
}

}  // namespace flowtrain::model
