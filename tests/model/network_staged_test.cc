// In which order a staged network's parts run.
#include "model/staged_network.h"

#include <torch/torch.h>

#include <string>
#include <vector>

#include "model/doctest_torch.h"

namespace flowtrain::model {
namespace {

class Layers final : public StagedNetwork {
 public:
  size_t layers() const override { return 3; }
  EncodedLayer Encode(size_t layer, const torch::Tensor& from) override {
    calls.push_back("encode " + std::to_string(layer));
    const auto x = from * 2;
    const auto weights = at::full({from.size(0), 1}, static_cast<double>(layer + 1));
    return {x, {weights, at::full({from.size(0), 1}, static_cast<int64_t>(layer), torch::kLong),
                at::ones({1}), weights.mean()},
            x};
  }
  torch::Tensor Mix(size_t layer, const EncodedLayer& encoded, const torch::Tensor& chosen) override {
    calls.push_back("mix " + std::to_string(layer));
    CHECK(chosen.eq(static_cast<int64_t>(layer)).all().item<bool>());
    return encoded.features + 1;
  }
  const std::vector<std::shared_ptr<Expert>>& experts(size_t) const override { return none_; }
  SegmentationOutput Decode(const std::vector<torch::Tensor>& mixed, int64_t, int64_t) override {
    calls.push_back("decode");
    return {at::stack(mixed).sum(0), {}, {}, {}};
  }
  std::vector<std::string> calls;

 private:
  const std::vector<std::shared_ptr<Expert>> none_;
};

TEST_CASE("every layer is encoded before the first one's experts are waited for, each from the last") {
  Layers network;
  const auto output = network.Forward(at::ones({2, 1, 4, 4}));
  CHECK((network.calls == std::vector<std::string>{"encode 0", "encode 1", "encode 2", "mix 0", "mix 1",
                                                   "mix 2", "decode"}));
  CHECK(output.logits.eq(2 + 4 + 8 + 3).all().item<bool>());
  CHECK(output.auxiliary.item<double>() == 1 + 2 + 3);
  REQUIRE(output.routing.size() == 3);
  CHECK(output.routing[2].indices[0].item<int64_t>() == 2);
}

}  // namespace
}  // namespace flowtrain::model
