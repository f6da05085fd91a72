// Runs one of flowtrain's networks on given weights and input, and writes what it computes:
//   network_dump OPTIONS.json WEIGHTS.safetensors INPUT.safetensors OUTPUT.safetensors
// OPTIONS: "network": edgenext, edgenext_classifier, resnet50 or camoxpert; "variant" of an
// EdgeNeXt; CamoXpert's options by their names; "loss" of CamoXpert: camoxpert or structure.
// INPUT: images; masks (CamoXpert), targets [B, classes] (classifiers, label smoothing 0.1) or
// cotangent.I (features: the loss is the sum of their products).
// OUTPUT: eval.* of a pass in eval mode; train.*, grad.NAME and buffer.NAME of a pass and its
// backward in training mode, but without dropout. On doubles the whole network computes in them.
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "model/camoxpert.h"
#include "model/edgenext.h"
#include "model/edgenext_classifier.h"
#include "model/io/load.h"
#include "model/io/safetensors.h"
#include "model/layers/attention.h"
#include "model/loss/camoxpert_loss.h"
#include "model/loss/cross_entropy.h"
#include "model/loss/structure_loss.h"
#include "model/resnet.h"
#include "model/state_dict.h"

namespace {

using namespace flowtrain::model;  // NOLINT: a program of one file
using nlohmann::json;

// A network and its loss. Forward adds its outputs under `prefix` and returns the loss.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual torch::nn::Module& module() = 0;
  virtual torch::Tensor Forward(const TensorMap& input, const std::string& prefix,
                                TensorMap* out) = 0;
};

class FeaturesSubject : public Subject {
 public:
  explicit FeaturesSubject(const json& options) : network_(FindEdgeNext(options["variant"]), 0) {}
  torch::nn::Module& module() override { return network_; }
  torch::Tensor Forward(const TensorMap& input, const std::string& prefix,
                        TensorMap* out) override {
    const auto features = network_.Forward(input.at("images"));
    torch::Tensor loss;
    for (size_t i = 0; i < features.size(); ++i) {
      const auto number = std::to_string(i);
      (*out)[prefix + "features." + number] = features[i].detach();
      const auto product = (features[i] * input.at("cotangent." + number)).sum();
      loss = i == 0 ? product : loss + product;
    }
    return loss;
  }

 private:
  EdgeNext network_;
};

class ClassifierSubject : public Subject {
 public:
  explicit ClassifierSubject(std::shared_ptr<ClassificationNetwork> network)
      : network_(std::move(network)) {}
  torch::nn::Module& module() override { return *network_; }
  torch::Tensor Forward(const TensorMap& input, const std::string& prefix,
                        TensorMap* out) override {
    const auto logits = network_->Forward(input.at("images"));
    (*out)[prefix + "logits"] = logits.detach();
    return CrossEntropy(logits, input.at("targets"), /*label_smoothing=*/0.1);
  }

 private:
  const std::shared_ptr<ClassificationNetwork> network_;
};

CamoXpertOptions ReadCamoXpertOptions(const json& from) {
  CamoXpertOptions options;
  options.backbone = from.value("backbone", options.backbone);
  options.encoder = from.value("encoder", options.encoder);
  options.attention = from.value("attention", options.attention);
  options.top_k = from.value("top_k", options.top_k);
  options.experts = from.value("experts", options.experts);
  options.balance_weight = from.value("balance_weight", options.balance_weight);
  options.z_weight = from.value("z_weight", options.z_weight);
  return options;
}

class CamoXpertSubject : public Subject {
 public:
  explicit CamoXpertSubject(const json& options)
      : network_(MakeCamoXpert(ReadCamoXpertOptions(options))), loss_(options["loss"]) {}
  torch::nn::Module& module() override { return *network_; }
  torch::Tensor Forward(const TensorMap& input, const std::string& prefix,
                        TensorMap* out) override {
    const auto output = network_->Forward(input.at("images"));
    (*out)[prefix + "logits"] = output.logits.detach();
    (*out)[prefix + "auxiliary"] = output.auxiliary.detach();
    for (size_t i = 0; i < output.deep.size(); ++i) {
      (*out)[prefix + "deep." + std::to_string(i)] = output.deep[i].detach();
    }
    for (size_t i = 0; i < output.routing.size(); ++i) {
      (*out)[prefix + "routing." + std::to_string(i)] = output.routing[i].indices;
    }
    const auto& masks = input.at("masks");
    if (loss_ == "structure") return StructureLoss(output.logits, masks).total + output.auxiliary;
    const auto parts = CamoXpertLoss(output, masks, LossWeights{});
    (*out)[prefix + "loss.bce"] = parts.bce;
    (*out)[prefix + "loss.iou"] = parts.iou;
    (*out)[prefix + "loss.edge"] = parts.edge;
    (*out)[prefix + "loss.deep"] = parts.deep;
    return parts.total;
  }

 private:
  const std::shared_ptr<SegmentationNetwork> network_;
  const std::string loss_;
};

std::unique_ptr<Subject> MakeSubject(const json& options) {
  const std::string network = options["network"];
  if (network == "edgenext") return std::make_unique<FeaturesSubject>(options);
  if (network == "camoxpert") return std::make_unique<CamoXpertSubject>(options);
  if (network == "edgenext_classifier") {
    return std::make_unique<ClassifierSubject>(std::make_shared<EdgeNextClassifier>(
        FindEdgeNext(options["variant"]), options["classes"], /*drop_path=*/0));
  }
  if (network == "resnet50") {
    return std::make_unique<ClassifierSubject>(
        std::make_shared<ResNet50>(ResNetOptions{.classes = options["classes"]}));
  }
  throw std::invalid_argument("unknown network " + network);
}

// Module::to would convert the counters of batch norm too.
void ToType(torch::nn::Module& module, torch::ScalarType type) {
  for (auto& tensor : module.parameters()) tensor.set_data(tensor.to(type));
  for (auto& tensor : module.buffers()) {
    if (tensor.is_floating_point()) tensor.set_data(tensor.to(type));
  }
}

// The layout that the trainer gives its network.
void ToChannelsLast(torch::nn::Module& module, TensorMap* input) {
  for (auto& parameter : module.parameters()) {
    if (parameter.dim() != 4) continue;
    parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
  }
  auto& images = input->at("images");
  images = images.contiguous(at::MemoryFormat::ChannelsLast);
}

void WithoutDropout(torch::nn::Module& module) {
  module.apply([](torch::nn::Module& child) {
    if (dynamic_cast<Attention*>(&child)) child.eval();
  });
}

void Run(char** paths) {
  const json options = json::parse(std::ifstream(paths[0]));
  auto input = ReadSafetensors(paths[2]).tensors;
  const auto subject = MakeSubject(options);
  auto& module = subject->module();
  ToType(module, input.at("images").scalar_type());
  LoadTensors(module, ReadSafetensors(paths[1]).tensors, LoadMode::kStrict);
  if (options["channels_last"].get<bool>()) ToChannelsLast(module, &input);

  TensorMap out;
  module.eval();
  {
    const torch::NoGradGuard no_grad;
    out["eval.loss"] = subject->Forward(input, "eval.", &out);
  }
  module.train();
  WithoutDropout(module);
  const auto loss = subject->Forward(input, "train.", &out);
  loss.backward();
  out["train.loss"] = loss.detach();
  for (const auto& parameter : module.named_parameters()) {
    const auto& gradient = parameter.value().grad();
    if (gradient.defined()) out["grad." + parameter.key()] = gradient;
  }
  for (const auto& buffer : module.named_buffers()) out["buffer." + buffer.key()] = buffer.value();
  WriteSafetensors(paths[3], out, {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: network_dump OPTIONS.json WEIGHTS INPUT OUTPUT\n");
    return 2;
  }
  try {
    Run(argv + 1);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "network_dump: %s\n", error.what());
    return 1;
  }
}
