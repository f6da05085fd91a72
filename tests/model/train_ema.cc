// The weights' moving average by itself.
#include <torch/torch.h>

#include <cmath>

#include "model/doctest_torch.h"
#include "model/optim/ema.h"

namespace flowtrain::model {
namespace {

using State = std::vector<std::pair<std::string, torch::Tensor>>;

State MakeState() {
  torch::manual_seed(11);
  return {{"weight",
           torch::randn({6, 4, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_()},
          {"running_mean", torch::randn({4})},
          {"wide", torch::randn({5}, torch::kDouble)},
          {"count", torch::zeros({}, torch::kLong)}};
}

// What an optimizer's step and a forward pass would do.
void Move(const State& state, int step) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) {
    if (tensor.is_floating_point())
      tensor.add_(torch::sin(tensor * 3 + step), 0.1);
    else
      tensor.add_(1);
  }
}

std::vector<torch::Tensor> Copied(const State& state) {
  std::vector<torch::Tensor> copies;
  for (const auto& [name, tensor] : state) copies.push_back(tensor.detach().clone());
  return copies;
}

TEST_CASE("the average's decay warms up to the one asked for") {
  CHECK(EmaDecay(0.999, 1) == doctest::Approx(2.0 / 11).epsilon(1e-15));
  CHECK(EmaDecay(0.999, 90) == doctest::Approx(0.91).epsilon(1e-15));
  CHECK(EmaDecay(0.999, 8989) < 0.999);
  CHECK(EmaDecay(0.999, 8991) == 0.999);
  CHECK(EmaDecay(0.999, 1'000'000) == 0.999);
}

TEST_CASE(
    "averages are those of a float64 loop, of weights and statistics; counts are the newest") {
  const State state = MakeState();
  const double decay = 0.6;  // in force from step 13 on
  Ema ema(state, decay);
  std::vector<std::vector<double>> expected;
  for (const auto& [name, tensor] : state) {
    const torch::Tensor flat = tensor.detach().to(torch::kDouble).contiguous().flatten();
    expected.emplace_back(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
  }
  for (int step = 1; step <= 20; ++step) {
    Move(state, step);
    ema.Update(step);
    const double keep = std::min(decay, (1.0 + step) / (10.0 + step));
    const auto averages = ema.State();
    for (size_t i = 0; i < state.size(); ++i) {
      const torch::Tensor now = state[i].second.detach().to(torch::kDouble).contiguous().flatten();
      const torch::Tensor average =
          averages.at(state[i].first).detach().to(torch::kDouble).contiguous().flatten();
      double worst = 0;
      for (int64_t k = 0; k < now.numel(); ++k) {
        double& e = expected[i][static_cast<size_t>(k)];
        e = state[i].first == "count" ? step : keep * e + (1 - keep) * now.data_ptr<double>()[k];
        worst = std::max(worst, std::abs(e - average.data_ptr<double>()[k]));
      }
      CAPTURE(state[i].first);
      CAPTURE(step);
      CHECK(worst <= (state[i].first == "wide" ? 1e-14 : state[i].first == "count" ? 0.0 : 1e-6));
    }
  }
  CHECK((ema.State().at("weight") - state[0].second).abs().max().item<double>() > 0.01);
}

TEST_CASE("averages go into the network's own memory, and leave it as it was, bit for bit") {
  const State state = MakeState();
  Ema ema(state, 0.9);
  Move(state, 1);
  ema.Update(1);
  const std::vector<torch::Tensor> own = Copied(state);
  const auto averages = ema.State();
  std::vector<torch::Tensor> expected;
  std::vector<const void*> memory;
  for (const auto& [name, tensor] : state) {
    expected.push_back(averages.at(name).detach().clone());
    memory.push_back(tensor.const_data_ptr());
  }
  ema.TakeOutOfNetwork();  // they are not in it
  for (size_t i = 0; i < state.size(); ++i) CHECK(torch::equal(state[i].second, own[i]));
  for (int twice = 0; twice < 2; ++twice) {
    ema.PutIntoNetwork();
    ema.PutIntoNetwork();  // they are in it already
    for (size_t i = 0; i < state.size(); ++i) {
      CHECK(torch::equal(state[i].second, expected[i]));
      CHECK(state[i].second.const_data_ptr() == memory[i]);
    }
    CHECK_FALSE(torch::equal(state[0].second, own[0]));
    ema.TakeOutOfNetwork();
    for (size_t i = 0; i < state.size(); ++i) CHECK(torch::equal(state[i].second, own[i]));
    const auto again = ema.State();
    for (size_t i = 0; i < state.size(); ++i)
      CHECK(torch::equal(again.at(state[i].first), expected[i]));
  }
  CHECK(state[0].second.requires_grad());
  CHECK(state[0].second.is_contiguous(at::MemoryFormat::ChannelsLast));
}

}  // namespace
}  // namespace flowtrain::model
