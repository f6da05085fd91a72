#include <torch/torch.h>

#include "model/doctest_torch.h"
#include "model/optim/adamw.h"
#include "model/optim/clip.h"

namespace flowtrain::model {
namespace {

std::vector<torch::Tensor> MakeParameters() {
  torch::manual_seed(3);
  std::vector<torch::Tensor> parameters = {torch::randn({5, 7}), torch::randn({6, 4, 3, 3}),
                                           torch::randn({9})};
  for (torch::Tensor& p : parameters) p.set_requires_grad(true);
  return parameters;
}

AdamW MakeAdamW(const std::vector<torch::Tensor>& parameters, double weight_decay) {
  AdamWGroup group{"all", 0, weight_decay, {}};
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string name = std::to_string(i);
    group.parameters.emplace_back(name.insert(0, 1, 'p'), parameters[i]);
  }
  return AdamW({group}, {});
}

void SetGradients(const std::vector<torch::Tensor>& parameters, uint64_t seed) {
  torch::manual_seed(seed);
  for (const torch::Tensor& p : parameters) p.mutable_grad() = torch::randn_like(p.detach());
}

TEST_CASE("fused AdamW makes the steps of torch::optim::AdamW while the rate changes") {
  const std::vector<torch::Tensor> ours = MakeParameters();
  const std::vector<torch::Tensor> theirs = MakeParameters();
  AdamW optimizer = MakeAdamW(ours, 0.05);
  torch::optim::AdamW reference(theirs, torch::optim::AdamWOptions().weight_decay(0.05));
  for (int step = 0; step < 20; ++step) {
    const double lr = 1e-2 / (1 + step);
    optimizer.groups()[0].lr = lr;
    static_cast<torch::optim::AdamWOptions&>(reference.param_groups()[0].options()).lr(lr);
    SetGradients(ours, 100 + step);
    SetGradients(theirs, 100 + step);
    optimizer.Step();
    reference.step();
  }
  for (size_t i = 0; i < ours.size(); ++i) {
    CHECK((ours[i] - theirs[i]).abs().max().item<double>() < 1e-6);
    CHECK((ours[i] - MakeParameters()[i]).abs().max().item<double>() > 1e-3);
  }
}

TEST_CASE("AdamW takes a gradient of another memory layout than its parameter's") {
  torch::Tensor plain = torch::arange(6 * 4 * 3 * 3, torch::kFloat).view({6, 4, 3, 3}).sin();
  torch::Tensor last = plain.contiguous(at::MemoryFormat::ChannelsLast).clone();
  torch::Tensor narrow = plain.narrow(2, 0, 1).narrow(3, 0, 1).clone();  // 1x1: strides are ambiguous
  torch::Tensor narrow_last = narrow.as_strided({6, 4, 1, 1}, {4, 1, 4, 4}).clone();
  for (torch::Tensor* p : {&plain, &last, &narrow, &narrow_last}) p->set_requires_grad(true);
  plain.mutable_grad() = plain.detach().cos();
  last.mutable_grad() = plain.grad().clone(at::MemoryFormat::Contiguous);
  narrow.mutable_grad() = narrow.detach().cos();
  narrow_last.mutable_grad() = narrow.grad().as_strided({6, 4, 1, 1}, {4, 1, 1, 1}).clone();
  AdamW optimizer = MakeAdamW({plain, last, narrow, narrow_last}, 0.01);
  optimizer.groups()[0].lr = 0.1;
  optimizer.Step();
  CHECK(torch::equal(plain, last));
  CHECK(torch::equal(narrow, narrow_last));
}

TEST_CASE("a parameter without a gradient keeps its value, moments and count") {
  const std::vector<torch::Tensor> parameters = MakeParameters();
  const torch::Tensor before = parameters[1].detach().clone();
  AdamW optimizer = MakeAdamW(parameters, 0.5);
  optimizer.groups()[0].lr = 0.1;
  SetGradients(parameters, 1);
  parameters[1].mutable_grad().reset();
  optimizer.Step();
  CHECK(torch::equal(parameters[1], before));
  const auto state = optimizer.State();
  CHECK(state.at("p0.step").item<double>() == 1);
  CHECK(state.at("p1.step").item<double>() == 0);
  CHECK(state.at("p1.exp_avg").abs().max().item<double>() == 0);
}

TEST_CASE("optimizer state is kept by name and refused whole when it does not fit") {
  const std::vector<torch::Tensor> parameters = MakeParameters();
  AdamW optimizer = MakeAdamW(parameters, 0);
  optimizer.groups()[0].lr = 0.1;
  SetGradients(parameters, 1);
  optimizer.Step();
  auto state = optimizer.State();
  for (auto& [name, tensor] : state) tensor = tensor.clone();
  AdamW fresh = MakeAdamW(MakeParameters(), 0);
  fresh.LoadState(state);
  CHECK(torch::equal(fresh.State().at("p1.exp_avg_sq"), state.at("p1.exp_avg_sq")));

  auto bad = state;
  bad.erase("p2.step");
  CHECK_THROWS_WITH(fresh.LoadState(bad), "optimizer state: 'p2.step' is missing");
  bad = state;
  bad["p9.step"] = torch::zeros({});
  CHECK_THROWS_WITH(fresh.LoadState(bad), "optimizer state: 'p9.step' belongs to no parameter of the model");
  bad = state;
  bad["p0.exp_avg"] = torch::zeros({7, 5});
  CHECK_THROWS_WITH(fresh.LoadState(bad),
                    "optimizer state: 'p0.exp_avg' has shape [7, 5]; [5, 7] is needed");
}

TEST_CASE("AdamW refuses a name given twice and parameters that are not float32") {
  const torch::Tensor p = torch::zeros({2});
  CHECK_THROWS_WITH(AdamW({{"g", 0, 0, {{"a", p}, {"a", p}}}}, {}),
                    "AdamW: parameter 'a' is given twice");
  CHECK_THROWS_WITH(AdamW({{"g", 0, 0, {{"a", p.to(torch::kDouble)}}}}, {}),
                    "AdamW: parameter 'a' is Double; it must be Float");
}

TEST_CASE("clipping scales all gradients by max_norm over the norm of them together") {
  const std::vector<torch::Tensor> gradients = {torch::full({3}, 2.0), torch::full({2, 2}, -1.0)};
  const torch::Tensor norm = ClipGlobalNorm(gradients, 0.5);  // of 3 * 4 + 4 * 1 = 16
  CHECK(norm.item<double>() == doctest::Approx(4.0));
  CHECK(gradients[0][0].item<double>() == doctest::Approx(2.0 * 0.5 / 4.0));
  CHECK(gradients[1][0][0].item<double>() == doctest::Approx(-0.5 / 4.0));
  const double clipped = GlobalNorm(gradients).item<double>();
  CHECK(clipped <= 0.5);
  CHECK(clipped == doctest::Approx(0.5).epsilon(1e-5));
}

TEST_CASE("gradients under the largest norm are left exactly as they are") {
  const std::vector<torch::Tensor> gradients = {torch::full({3}, 0.1)};
  ClipGlobalNorm(gradients, 0.5);
  CHECK(torch::equal(gradients[0], torch::full({3}, 0.1)));
}

}  // namespace
}  // namespace flowtrain::model
