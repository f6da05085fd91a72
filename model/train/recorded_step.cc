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

at::Tensor Leaf(const at::Tensor& tensor) { return tensor.detach().requires_grad_(); }

}  // namespace

RecordedStep::RecordedStep(StagedNetwork& network, const LossWeights& loss, LowPrecisionWeights* low,
                           std::unique_ptr<Recorder> recorder, const at::Tensor& images,
                           const at::Tensor& masks)
    : network_(network),
      low_(low),
      recorder_(std::move(recorder)),
      images_(images.clone()),
      masks_(masks.clone()) {
  network_.zero_grad();
  RecordEncode();
  RecordDecode(loss);
  RecordEncodeBackward();
  KeepGradients();
}

void RecordedStep::RecordEncode() {
  for (size_t i = 0; i < network_.layers(); ++i) {
    encode_.push_back(recorder_->Record([&] {
      if (i == 0 && low_ != nullptr) low_->Refresh();
      const ForwardScope scope(images_.device(), low_);
      encoded_.push_back(network_.Encode(i, i == 0 ? images_ : encoded_.back().next_from));
      if (i + 1 == network_.layers()) auxiliary_ = AuxiliaryLoss(encoded_);
    }));
    mixed_.push_back(Leaf(at::empty_like(encoded_[i].features)));
    feature_gradients_.push_back(at::empty_like(encoded_[i].features));
    weight_gradients_.push_back(at::empty_like(encoded_[i].decision.weights));
  }
}

void RecordedStep::RecordDecode(const LossWeights& weights) {
  decode_ = recorder_->Record([&] {
    SegmentationOutput output;
    {
      const ForwardScope scope(images_.device(), low_);
      output = network_.Decode(mixed_, images_.size(2), images_.size(3));
    }
    output.auxiliary = auxiliary_.detach();
    loss_ = CamoXpertLoss(output, masks_, weights);
    loss_.total.backward();
    loss_.total = loss_.total.detach();
  });
}

void RecordedStep::RecordEncodeBackward() {
  std::vector<at::Tensor> outputs, gradients;
  for (size_t i = 0; i < encoded_.size(); ++i) {
    outputs.insert(outputs.end(), {encoded_[i].features, encoded_[i].decision.weights});
    gradients.insert(gradients.end(), {feature_gradients_[i], weight_gradients_[i]});
  }
  outputs.push_back(auxiliary_);
  gradients.emplace_back();  // 1, made inside the recording: what is made before it is gone at a replay
  encode_backward_ = recorder_->Record([&] {
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
  std::vector<EncodedLayer> leaves = encoded_;
  std::vector<at::Tensor> mixed, mixed_gradients;
  for (size_t i = 0; i < leaves.size(); ++i) {
    leaves[i].features = Leaf(encoded_[i].features);
    leaves[i].decision.weights = Leaf(encoded_[i].decision.weights);
    const at::Tensor& indices = chosen[i].Wait();
    const ForwardScope scope(images_.device(), low_);
    mixed.push_back(network_.Mix(i, leaves[i], indices));
    mixed_[i].detach().copy_(mixed[i].detach());
    mixed_gradients.push_back(mixed_[i].grad());
  }
  decode_->Replay();

  torch::autograd::backward(mixed, mixed_gradients);
  if (low_ != nullptr) low_->ReturnGradients();
  for (size_t i = 0; i < mixed.size(); ++i) {
    feature_gradients_[i].copy_(leaves[i].features.grad());
    weight_gradients_[i].copy_(leaves[i].decision.weights.grad());
  }
  encode_backward_->Replay();
  for (auto& [parameter, gradient] : gradients_) parameter.mutable_grad() = gradient;

  Result result{Copied(loss_), {}};
  for (const EncodedLayer& layer : encoded_) result.usage.push_back(layer.decision.usage.clone());
  return result;
}

}  // namespace flowtrain::model
