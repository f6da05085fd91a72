// Grouped dispatch and the router.
#include <torch/torch.h>

#include "model/camoxpert_options.h"
#include "model/moe_layer.h"
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
  for (const int64_t top_k : {1, 3, 7}) {
    for (const int64_t batch : {1, 5}) {
      CAPTURE(top_k);
      CAPTURE(batch);
      auto layer = MakeLayer(top_k);
      const auto x = (3 * torch::randn({batch, kChannels, 10, 7})).requires_grad_();
      const auto router = layer.named_children()["gate"];
      const auto decision = router->as<Router>()->Forward(x);
      const auto grouped = layer.Dispatch(x, decision);
      const auto grouped_gradients = Backward(layer, x, grouped);
      const auto again = router->as<Router>()->Forward(x);
      const auto plain = PerImage(layer, x, again);
      const auto plain_gradients = Backward(layer, x, plain);

      CHECK(Near(grouped, plain));
      REQUIRE(grouped_gradients.size() == plain_gradients.size());
      int64_t idle = 0;
      for (size_t i = 0; i < plain_gradients.size(); ++i) {
        const auto& [name, expected] = plain_gradients[i];
        CAPTURE(name);
        REQUIRE(grouped_gradients[i].second.defined() == expected.defined());
        if (expected.defined()) CHECK(Near(grouped_gradients[i].second, expected));
        idle += expected.defined() ? 0 : 1;
      }
      // Experts nobody chose are left out; with all seven chosen nobody is.
      CHECK((idle == 0) == (top_k == 7 || decision.usage.min().item<float>() > 0));
    }
  }
}

TEST_CASE("routing reports indices, weights that sum to one and counts per expert") {
  auto layer = MakeLayer(3);
  const auto output = layer.Forward(torch::randn({5, kChannels, 8, 8}));
  CHECK((output.routing.indices.sizes() == at::IntArrayRef({5, 3})));
  CHECK((output.routing.indices.scalar_type() == torch::kLong));
  CHECK(at::allclose(output.routing.weights.sum(1), torch::ones({5})));
  CHECK_FALSE(output.routing.weights.requires_grad());
  CHECK((output.routing.usage.scalar_type() == torch::kFloat));
  CHECK(at::equal(output.routing.usage.to(torch::kLong),
                  at::bincount(output.routing.indices.flatten(), {}, 7)));
}

TEST_CASE("the balance loss alone trains the gate") {
  auto layer = MakeLayer(3);
  layer.Forward(torch::randn({4, kChannels, 8, 8})).auxiliary.backward();
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
  CHECK(layer.Forward(x).auxiliary.item<double>() == doctest::Approx(0.5));
  bias[2] = 20.0;
  CHECK(layer.Forward(x).auxiliary.item<double>() == doctest::Approx(0.5 * 7).epsilon(1e-4));
}

TEST_CASE("the z-loss is the mean square of the logits' logsumexp") {
  auto layer = MakeLayer(1, 0, 1e-3);
  torch::NoGradGuard no_grad;
  layer.named_parameters()["gate.1.weight"].zero_();
  layer.named_parameters()["gate.1.bias"].fill_(2);
  const auto expected = 1e-3 * std::pow(2 + std::log(7.0), 2);
  CHECK(layer.Forward(torch::randn({2, kChannels, 8, 8})).auxiliary.item<double>() ==
        doctest::Approx(expected));
}

TEST_CASE("without router losses the auxiliary loss is zero") {
  auto layer = MakeLayer(3, 0, 0);
  CHECK(layer.Forward(torch::randn({2, kChannels, 8, 8})).auxiliary.item<double>() == 0);
}

}  // namespace flowtrain::model
