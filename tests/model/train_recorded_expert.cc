// An expert's part of a recorded step, with recordings that do on a CPU what a GPU's do.
#include "model/train/recorded_expert.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/doctest_torch.h"
#include "model/moe_layer.h"
#include "tests/model/network_fill.h"

namespace flowtrain::model {
namespace {

// What was recorded is done when it is replayed, with the tensors' contents of then.
class Deferred final : public Recording {
 public:
  Deferred(std::function<void()> work, std::vector<std::string>& log) : work_(std::move(work)), log_(log) {}
  void Replay() override {
    log_.push_back("replay");
    work_();
  }

 private:
  const std::function<void()> work_;
  std::vector<std::string>& log_;
};

struct Device {
  bool room = true;
  bool fails = false;
  std::vector<std::string> log;  // of all recorders
};

class DeferringRecorder final : public Recorder {
 public:
  explicit DeferringRecorder(Device& device) : device_(device) {}
  void ReleaseCache() override {}
  bool HasRoom() override { return device_.room; }
  std::unique_ptr<Recording> Record(const std::function<void()>& work) override {
    if (device_.fails) throw std::runtime_error("out of memory");
    device_.log.push_back("record");
    return std::make_unique<Deferred>(work, device_.log);
  }

 private:
  Device& device_;
};

// A layer of all experts on random features, and what a recorded step has of it.
class Layer {
 public:
  Layer(int64_t batch, int64_t top_k, Device* device) : batch_(batch), top_k_(top_k) {
    torch::manual_seed(5);
    moe_ = std::make_shared<MoeLayer>(
        16, std::vector<std::string>(kExpertNames.begin(), kExpertNames.end()), AttentionKind::kLinear,
        RouterOptions{7, top_k, 0.01, 0});
    moe_->eval();  // no dropout: the two ways must see the same experts
    encoded_.features = at::zeros({batch, 16, 6, 5}).contiguous(at::MemoryFormat::ChannelsLast);
    encoded_.decision.weights = at::zeros({batch, top_k});
    slots_ = std::make_unique<ExpertSlots>(encoded_, 7);
    MakeRecorder make;
    if (device != nullptr) make = [device] { return std::make_unique<DeferringRecorder>(*device); };
    for (size_t e = 0; e < 7; ++e) experts_.emplace_back(moe_->experts()[e], *slots_, e, nullptr, make);
  }

  // A step both ways; the largest difference of outputs and gradients, over the largest value.
  double Step(const at::Tensor& chosen) {
    const auto features = at::randn({batch_, 16, 6, 5}), weights = at::rand({batch_, top_k_});
    const auto direction = at::randn({batch_, 16, 6, 5});
    encoded_.features.copy_(features);
    encoded_.decision.weights.copy_(weights);
    const std::vector<int64_t> rows = slots_->Place(chosen);
    for (size_t e = 0; e < 7; ++e) experts_[e].Forward(rows[e]);
    const auto mixed = slots_->Combine();
    mixed.backward(direction);
    for (RecordedExpert& expert : experts_) expert.Backward();
    std::vector<at::Tensor> got = {mixed.detach(), slots_->FeatureGradient(), slots_->WeightGradient().clone()};
    for (RecordedExpert& expert : experts_) {
      expert.Record();
      for (const auto& [parameter, gradient] : expert.gradients()) {
        CHECK_FALSE(parameter.grad().defined());
        got.push_back(gradient.clone());
      }
    }
    // In a recorded step these are written anew; here backward adds.
    slots_->WeightGradient().zero_();
    slots_->OutputGradients(0, 7 * slots_->room()).zero_();
    return Difference(got, Plain(features, weights, chosen, direction));
  }

  MoeLayer& moe() { return *moe_; }
  std::vector<RecordedExpert>& experts() { return experts_; }

 private:
  std::vector<at::Tensor> Plain(const at::Tensor& features, const at::Tensor& weights, const at::Tensor& chosen,
                                const at::Tensor& direction) {
    const auto x = features.clone().requires_grad_(), w = weights.clone().requires_grad_();
    const auto y = moe_->Mix(x, w, chosen);
    y.backward(direction);
    std::vector<at::Tensor> all = {y.detach(), x.grad(), w.grad()};
    for (const auto& expert : moe_->experts()) {
      for (const at::Tensor& parameter : expert->parameters()) all.push_back(parameter.grad().clone());
    }
    moe_->zero_grad();
    return all;
  }

  static double Difference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      REQUIRE(a[i].sizes() == b[i].sizes());
      const double size = std::max(1e-3, b[i].abs().max().item<double>());
      const double difference = (a[i] - b[i]).abs().max().item<double>();
      REQUIRE(std::isfinite(difference));
      largest = std::max(largest, difference / size);
    }
    return largest;
  }

  const int64_t batch_, top_k_;
  std::shared_ptr<MoeLayer> moe_;
  EncodedLayer encoded_;
  std::unique_ptr<ExpertSlots> slots_;
  std::vector<RecordedExpert> experts_;
};

// Every image chooses `first` and those behind it.
at::Tensor From(int64_t batch, int64_t top_k, int64_t first) {
  return (at::arange(top_k).view({1, top_k}) + first).remainder(7).expand({batch, top_k}).contiguous();
}

at::Tensor AtRandom(int64_t batch, int64_t top_k) {
  return std::get<1>(at::rand({batch, 7}).topk(top_k, 1));
}

int64_t CountOf(const Device& device, const std::string& what) {
  return std::count(device.log.begin(), device.log.end(), what);
}

TEST_CASE("experts on their slots compute what a mixture of experts does, recorded or launched") {
  for (const bool recorded : {false, true}) {
    for (const int64_t top_k : {1, 3, 7}) {
      for (const int64_t batch : {1, 2, 19}) {
        CAPTURE(recorded);
        CAPTURE(top_k);
        CAPTURE(batch);
        Device device;
        Layer layer(batch, top_k, recorded ? &device : nullptr);
        torch::manual_seed(batch);
        for (int step = 0; step < 6; ++step) CHECK(layer.Step(AtRandom(batch, top_k)) < 1e-4);
        // All on the same experts, then all on others: idle ones' gradients are zeros again.
        for (const int64_t first : {0, 0, 3, 3, 0}) CHECK(layer.Step(From(batch, top_k, first)) < 1e-4);
        CHECK((CountOf(device, "replay") > 0) == recorded);
        if (recorded) CHECK(layer.experts()[0].fault() == "");
      }
    }
  }
}

TEST_CASE("a number of rows that came twice is recorded, after the largest there can be") {
  Device device;
  Layer layer(6, 1, &device);
  layer.Step(From(6, 1, 2));
  CHECK(device.log.empty());
  // 6 rows are the largest: forward and backward, once.
  layer.Step(From(6, 1, 2));
  CHECK((device.log == std::vector<std::string>{"record", "record"}));
  layer.Step(From(6, 1, 2));
  CHECK((device.log == std::vector<std::string>{"record", "record", "replay", "replay"}));
  const auto two = at::tensor({2, 2, 5, 5, 5, 5}, at::kLong).view({6, 1});
  device.log.clear();
  layer.Step(two);
  CHECK(device.log.empty());
  layer.Step(two);
  // Expert 2: its 2 rows; expert 5: 6 rows and its 4.
  CHECK((device.log == std::vector<std::string>(6, "record")));
  layer.Step(two);
  CHECK(CountOf(device, "replay") == 4);
}

TEST_CASE("recording draws no random numbers from those of the step") {
  Device device;
  Layer layer(4, 1, &device);
  layer.moe().train();
  RecordedExpert& attention = layer.experts()[1];
  REQUIRE(kExpertNames[1] == "attention");  // which has dropout
  layer.Step(From(4, 1, 1));
  attention.Forward(4);
  attention.Backward();
  torch::manual_seed(7);
  const at::Tensor next = at::rand({3});
  torch::manual_seed(7);
  REQUIRE(attention.Record());
  CHECK(at::equal(at::rand({3}), next));
}

int matrices = 0;

std::unique_ptr<at::ObserverContext> CountMatrices(const at::RecordFunction& function) {
  if (std::string(function.name()) == "aten::eye") ++matrices;
  return nullptr;
}

// Made anew, they would lie elsewhere, and recordings would go on reading what is there then.
TEST_CASE("matrices that an expert keeps for images of one size outlive a batch of another size") {
  const torch::NoGradGuard no_grad;
  const auto expert = MakeExpert("semantic_context", 16, AttentionKind::kLinear);
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&CountMatrices));
  const auto made = [&](int64_t side) {
    matrices = 0;
    expert->Forward(at::rand({2, 16, side, side}));
    return matrices;
  };
  CHECK(made(12) > 0);
  CHECK(made(9) > 0);
  CHECK(made(12) == 0);
  CHECK(made(9) == 0);
  at::removeCallback(handle);
}

TEST_CASE("where memory is short, or recording fails, experts are launched and right") {
  for (const bool fails : {false, true}) {
    CAPTURE(fails);
    Device device;
    Layer layer(5, 2, &device);
    for (int step = 0; step < 3; ++step) CHECK(layer.Step(From(5, 2, 0)) < 1e-4);
    CHECK(CountOf(device, "record") == 4);
    device.room = false;
    device.fails = fails;
    for (int step = 0; step < 3; ++step) CHECK(layer.Step(From(5, 2, 3)) < 1e-4);
    const auto& experts = layer.experts();
    CHECK(experts[3].fault() == "");
    device.room = true;
    for (int step = 0; step < 3; ++step) CHECK(layer.Step(From(5, 2, 5)) < 1e-4);
    CHECK(experts[5].fault() == (fails ? "out of memory" : ""));
    CHECK(CountOf(device, "record") == (fails ? 4 : 8));
    // One whose recordings worked goes on with them.
    device.log.clear();
    CHECK(layer.Step(From(5, 2, 0)) < 1e-4);
    CHECK(CountOf(device, "replay") == 4);
  }
}

}  // namespace
}  // namespace flowtrain::model
