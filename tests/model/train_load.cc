#include <torch/torch.h>

#include "model/doctest_torch.h"
#include "model/io/load.h"
#include "model/state_dict.h"
#include "model/train_tiny_network.h"

namespace flowtrain::model {
namespace {

using test::TinyNetwork;

TensorMap Snapshot(const torch::nn::Module& module) {
  TensorMap tensors;
  for (const auto& [name, tensor] : StateDict(module)) tensors[name] = tensor.detach().clone();
  return tensors;
}

TEST_CASE("loading fills parameters and buffers by name and keeps their memory layout") {
  TinyNetwork from, to;
  {
    const torch::NoGradGuard no_grad;
    for (const auto& [name, tensor] : StateDict(from)) tensor.fill_(3);
  }
  torch::Tensor weight = to.named_parameters()["first.weight"];
  weight.set_data(weight.contiguous(at::MemoryFormat::ChannelsLast));
  const LoadReport report = LoadTensors(to, Snapshot(from), LoadMode::kStrict);
  CHECK(report.Complete());
  for (const auto& [name, tensor] : StateDict(to)) {
    CAPTURE(name);
    CHECK((tensor == 3).all().item<bool>());
  }
  CHECK(weight.is_contiguous(at::MemoryFormat::ChannelsLast));
  CHECK(weight.requires_grad());
}

TEST_CASE("the load report names what is missing, unexpected and of another shape") {
  TinyNetwork network;
  TensorMap tensors = Snapshot(network);
  const TensorMap before = tensors;
  tensors.erase("norm.running_mean");
  tensors["extra"] = torch::zeros({1});
  tensors["last.bias"] = torch::zeros({2});
  tensors["first.bias"] = torch::full({8}, 5.0f);

  CHECK_THROWS_WITH(LoadTensors(network, tensors, LoadMode::kStrict),
                    "1 missing: norm.running_mean; 1 unexpected: extra; "
                    "1 of another shape: last.bias: [1] in the module, [2] given");
  for (const auto& [name, tensor] : Snapshot(network)) CHECK(torch::equal(tensor, before.at(name)));

  const LoadReport report = LoadTensors(network, tensors, LoadMode::kWhatFits);
  CHECK(report.missing == std::vector<std::string>{"norm.running_mean"});
  CHECK(report.unexpected == std::vector<std::string>{"extra"});
  CHECK(report.misshaped.size() == 1);
  CHECK(report.loaded == StateDict(network).size() - 2);
  CHECK((network.named_parameters()["first.bias"] == 5).all().item<bool>());
  CHECK(torch::equal(network.named_parameters()["last.bias"], before.at("last.bias")));
}

TEST_CASE("numbers of another kind are no weights: they are named with both types") {
  TinyNetwork network;
  TensorMap tensors = Snapshot(network);
  tensors["last.bias"] = torch::ones({1}, torch::kLong);
  tensors["first.bias"] = torch::ones({8}, torch::kBool);
  tensors["norm.num_batches_tracked"] = torch::zeros({}, torch::kFloat);
  CHECK_THROWS_WITH(LoadTensors(network, tensors, LoadMode::kStrict),
                    "3 of another type: first.bias: Float in the module, Bool given, "
                    "norm.num_batches_tracked: Long in the module, Float given, last.bias: Float "
                    "in the module, Long given");

  tensors = Snapshot(network);
  tensors["first.bias"] = torch::full({8}, 0.5, torch::kHalf);
  tensors["last.bias"] = torch::full({1}, 0.25, torch::kDouble);
  tensors["norm.num_batches_tracked"] = torch::full({}, 7, torch::kInt);
  CHECK(LoadTensors(network, tensors, LoadMode::kStrict).Complete());
  CHECK((network.named_parameters()["first.bias"] == 0.5).all().item<bool>());
  CHECK(network.named_parameters()["last.bias"].item<double>() == 0.25);
  CHECK(network.named_buffers()["norm.num_batches_tracked"].item<int64_t>() == 7);
}

TEST_CASE("a report of many names shows the first few and counts the rest") {
  TinyNetwork network;
  const LoadReport report = LoadTensors(network, {}, LoadMode::kWhatFits);
  CHECK(report.Text() == std::to_string(report.missing.size()) +
                             " missing: first.weight, first.bias, norm.weight, norm.bias, "
                             "norm.running_mean and " +
                             std::to_string(report.missing.size() - 5) + " more");
}

}  // namespace
}  // namespace flowtrain::model
