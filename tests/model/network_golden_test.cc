// Numbers of the reference implementations, in double.
#include <torch/torch.h>

#include <algorithm>

#include "model/edgenext.h"
#include "model/experts/expert.h"
#include "tests/model/doctest_torch.h"
#include "tests/model/network_fill.h"

namespace flowtrain::model {
namespace {

struct Golden {
  const char* name;
  double mean;
  double spread;  // rms of an expert, standard deviation of a feature map
  double first;
  double last;
};

// The tables have nine decimals: what is right differs by half of the last one, and by sums' rounding.
void CheckNear(double value, double expected, double& largest) {
  CHECK(std::abs(value - expected) < 1e-9);
  largest = std::max(largest, std::abs(value - expected));
}

}  // namespace

TEST_CASE("experts give the reference's values") {
  torch::NoGradGuard no_grad;
  const Golden goldens[] = {
      {"texture", .360165128, .984399139, -.145639311, -.331262916},
      {"hybrid", -.011771827, .729221379, .281741158, -.187261218},
      {"frequency", .275836923, .892634397, -.103953850, -.511541941},
      {"edge", .358987703, .974848392, -.123952063, .355312017},
      {"semantic_context", .273294664, .889257737, -.100421150, -.513515274},
      {"contrast", .370884666, 1.030527389, 1.698483076, .725510887},
  };
  double largest = 0;
  for (const auto& golden : goldens) {
    CAPTURE(golden.name);
    const auto expert = MakeExpert(golden.name, 16, AttentionKind::kLinear);
    FillExpert(*expert);
    const auto y = expert->Forward(Wave({2, 16, 12, 10}, 0.013)).contiguous();
    CHECK((y.scalar_type() == torch::kDouble));
    CheckNear(y.mean().item<double>(), golden.mean, largest);
    CheckNear(y.square().mean().sqrt().item<double>(), golden.spread, largest);
    CheckNear(y.view(-1)[0].item<double>(), golden.first, largest);
    CheckNear(y.view(-1)[-1].item<double>(), golden.last, largest);
  }
  MESSAGE("largest difference from the table: ", largest);
}

TEST_CASE("edgenext_base gives the reference's feature maps") {
  torch::NoGradGuard no_grad;
  const Golden goldens[] = {
      {"stride 4", .003462095, 1.002910389, .102594112, -1.600842800},
      {"stride 8", -.000344589, .088215384, .090122943, -.052302877},
      {"stride 16", .002636175, .327987843, .564421766, -.413384787},
      {"stride 32", .001279590, .395758589, .645307930, .404133171},
  };
  EdgeNext backbone(FindEdgeNext("edgenext_base"), 0);
  FillBackbone(backbone);
  const auto images = Wave({1, 3, 64, 64}, 0.013).to(torch::kFloat).to(torch::kDouble);
  const auto features = backbone.Forward(images);
  REQUIRE(features.size() == 4);
  double largest = 0;
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(goldens[i].name);
    const auto y = features[i].contiguous();
    CHECK((y.sizes() == at::IntArrayRef({1, kEdgeNextVariants[3].dims[i], 16 >> i, 16 >> i})));
    CheckNear(y.mean().item<double>(), goldens[i].mean, largest);
    CheckNear(y.std(/*unbiased=*/true).item<double>(), goldens[i].spread, largest);
    CheckNear(y.view(-1)[0].item<double>(), goldens[i].first, largest);
    CheckNear(y.view(-1)[-1].item<double>(), goldens[i].last, largest);
  }
  MESSAGE("largest difference from the table: ", largest);
}

}  // namespace flowtrain::model
