// Grouped dispatch and the router.
#include <torch/torch.h>

#include <set>

#include "model/camoxpert_options.h"
#include "model/dispatch.h"
#include "model/moe_layer.h"
#include "model/staged_network.h"
#include "tests/model/doctest_torch.h"
#include "tests/model/network_fill.h"

namespace flowtrain::model {
namespace {

constexpr int64_t kChannels = 16;
const std::vector<std::string> kAll = {kExpertNames.begin(), kExpertNames.end()};

MoeLayer MakeLayer(int64_t top_k, double balance_weight = 0.01, double z_weight = 0) {
  torch::manual_seed(3);
  MoeLayer layer(kChannels, kAll, AttentionKind::kLinear, {7, top_k, balance_weight, z_weight});
  layer.eval();  // no dropout: the two ways must see the same experts
  return layer;
}

// The plain way: image after image, choice after choice, through the layer's public children.
torch::Tensor PerImage(MoeLayer& layer, const torch::Tensor& x, const RouterDecision& decision) {
  const auto experts = layer.named_children()["experts"]->children();
  std::vector<torch::Tensor> images;
  for (int64_t b = 0; b < x.size(0); ++b) {
    auto sum = torch::zeros_like(x[b]).unsqueeze(0);
    for (int64_t k = 0; k < decision.indices.size(1); ++k) {
      const auto& expert = experts[decision.indices[b][k].item<int64_t>()];
      sum = sum + decision.weights[b][k] * expert->as<Expert>()->Forward(x[b].unsqueeze(0));
    }
    images.push_back(sum);
  }
  return at::cat(images);
}

using Gradients = std::vector<std::pair<std::string, torch::Tensor>>;

// Gradients of sum(y * wave), and of x under the name "x". Undefined ones stay undefined.
Gradients Backward(MoeLayer& layer, const torch::Tensor& x, const torch::Tensor& y) {
  layer.zero_grad();
  x.mutable_grad().reset();
  (y * Wave(y.sizes(), 0.7).to(y.scalar_type())).sum().backward();
  Gradients gradients = {{"x", x.grad().clone()}};
  for (const auto& parameter : layer.named_parameters()) {
    const auto& gradient = parameter.value().grad();
    gradients.emplace_back(parameter.key(), gradient.defined() ? gradient.clone() : gradient);
  }
  return gradients;
}

bool Near(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>() <= 1e-5 * std::max(1.0, b.abs().max().item<double>());
}

}  // namespace

TEST_CASE("grouped dispatch equals a loop over images, forward and backward") {
  for (const int64_t top_k : {1, 2, 3, 4, 5, 6, 7}) {
    for (const int64_t batch : {1, 2, 32}) {
      CAPTURE(top_k);
      CAPTURE(batch);
      auto layer = MakeLayer(top_k);
      const auto x = (3 * torch::randn({batch, kChannels, 6, 5})).requires_grad_();
      const auto decision = layer.Decide(x);
      const auto grouped = layer.Mix(x, decision.weights, decision.indices);
      const auto grouped_gradients = Backward(layer, x, grouped);
      const auto again = layer.Decide(x);
      const auto plain = PerImage(layer, x, again);
      const auto plain_gradients = Backward(layer, x, plain);

      CHECK(Near(grouped, plain));
      REQUIRE(grouped_gradients.size() == plain_gradients.size());
      int64_t idle = 0;
      for (size_t i = 0; i < plain_gradients.size(); ++i) {
        const auto& [name, expected] = plain_gradients[i];
        CAPTURE(name);
        const auto& gradient = grouped_gradients[i].second;
        REQUIRE(gradient.defined());
        if (expected.defined()) CHECK(Near(gradient, expected));
        if (!expected.defined()) CHECK(gradient.abs().max().item<double>() == 0);
        idle += expected.defined() ? 0 : 1;
      }
      // Experts nobody chose: gradients of zero. With all seven chosen there are none.
      CHECK((idle == 0) == (top_k == 7 || decision.usage.min().item<float>() > 0));
    }
  }
}

TEST_CASE("rows that pad an expert's share have no part in anything") {
  // 19 and 13 images an expert: 20 and 14 rows.
  const auto indices = (torch::arange(32, torch::kLong) < 19).logical_not().to(torch::kLong).view({32, 1});
  std::vector<torch::Tensor> found[2];
  for (const bool pad : {false, true}) {
    const auto x = Wave({32, 4, 2, 3}, 0.3).requires_grad_();
    const auto weights = Wave({32, 1}, 0.7).abs().requires_grad_();
    const auto scale = torch::full({}, 2.0, torch::kDouble).requires_grad_();
    const DispatchPlan plan = PlanDispatch(indices, 2, at::kCPU, pad);
    CHECK(plan.rows == (pad ? std::vector<int64_t>{20, 14} : std::vector<int64_t>{19, 13}));
    const Dispatch dispatch(plan.table, 32, 1);
    const auto gathered = dispatch.Gather(x);
    CHECK(gathered.size(0) == (pad ? 34 : 32));
    const auto y = dispatch.Combine(gathered * scale, weights);
    (y * Wave(y.sizes(), 0.11)).sum().backward();
    found[pad] = {y.detach(), x.grad(), weights.grad(), scale.grad()};
  }
  for (size_t i = 0; i < 4; ++i) CHECK(at::allclose(found[0][i], found[1][i], 1e-12, 1e-12));
  for (const int64_t n : {1, 8, 9, 16, 17, 32, 33, 100}) {
    CAPTURE(n);
    CHECK(PaddedRows(n) >= n);
    CHECK(4 * PaddedRows(n) <= 5 * n + 3);
    CHECK(PaddedRows(PaddedRows(n)) == PaddedRows(n));
  }
  std::set<int64_t> sizes;
  for (int64_t n = 1; n <= 96; ++n) sizes.insert(PaddedRows(n));
  CHECK(sizes.size() <= 24);
}

TEST_CASE("routing reports indices, weights that sum to one and counts per expert") {
  auto layer = MakeLayer(3);
  const auto routing = RoutingOf(layer.Decide(torch::randn({5, kChannels, 8, 8})));
  CHECK((routing.indices.sizes() == at::IntArrayRef({5, 3})));
  CHECK((routing.indices.scalar_type() == torch::kLong));
  CHECK(at::allclose(routing.weights.sum(1), torch::ones({5})));
  CHECK_FALSE(routing.weights.requires_grad());
  CHECK((routing.usage.scalar_type() == torch::kFloat));
  CHECK(at::equal(routing.usage.to(torch::kLong), at::bincount(routing.indices.flatten(), {}, 7)));
}

TEST_CASE("the balance loss alone trains the gate") {
  auto layer = MakeLayer(3);
  layer.Decide(torch::randn({4, kChannels, 8, 8})).auxiliary.backward();
  const auto gradient = layer.named_parameters()["gate.1.weight"].grad();
  REQUIRE(gradient.defined());
  CHECK(gradient.abs().max().item<double>() > 1e-8);
}

TEST_CASE("the balance loss is its weight when routing is even, and grows as it collapses") {
  auto layer = MakeLayer(1, 0.5);
  torch::NoGradGuard no_grad;
  const auto weight = layer.named_parameters()["gate.1.weight"];
  const auto bias = layer.named_parameters()["gate.1.bias"];
  weight.zero_();
  bias.zero_();
  const auto x = torch::randn({4, kChannels, 8, 8});
  // P is 1/7 for every expert, so E * sum f P = 1 whatever f.
  CHECK(layer.Decide(x).auxiliary.item<double>() == doctest::Approx(0.5));
  bias[2] = 20.0;
  CHECK(layer.Decide(x).auxiliary.item<double>() == doctest::Approx(0.5 * 7).epsilon(1e-4));
}

TEST_CASE("the z-loss is the mean square of the logits' logsumexp") {
  auto layer = MakeLayer(1, 0, 1e-3);
  torch::NoGradGuard no_grad;
  layer.named_parameters()["gate.1.weight"].zero_();
  layer.named_parameters()["gate.1.bias"].fill_(2);
  const auto expected = 1e-3 * std::pow(2 + std::log(7.0), 2);
  CHECK(layer.Decide(torch::randn({2, kChannels, 8, 8})).auxiliary.item<double>() ==
        doctest::Approx(expected));
}

TEST_CASE("without router losses the auxiliary loss is zero") {
  auto layer = MakeLayer(3, 0, 0);
  CHECK(layer.Decide(torch::randn({2, kChannels, 8, 8})).auxiliary.item<double>() == 0);
}

}  // namespace flowtrain::model
