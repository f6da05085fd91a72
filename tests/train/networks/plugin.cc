// A plugin that provides networks for the tests of train.segmentation: one that trains, and some
// that are at fault.
#include <flowtrain/stage.h>

#include <functional>

#include "model/describe/part_scope.h"
#include "model/network_provider.h"

namespace {

namespace nn = torch::nn;
using flowtrain::model::NetworkOptions;
using flowtrain::model::NetworkProvider;
using flowtrain::model::SegmentationNetwork;
using flowtrain::model::SegmentationOutput;

// Two convolutions of plain layers, with buffers, dropout and a side output. Of its parts it marks one.
class Plain : public SegmentationNetwork {
 public:
  Plain(int64_t width, double drop, bool norm) {
    first_ = register_module("first", nn::Conv2d(nn::Conv2dOptions(3, width, 3).padding(1)));
    if (norm) norm_ = register_module("norm", nn::BatchNorm2d(width));
    drop_ = register_module("drop", nn::Dropout(drop));
    last_ = register_module("last", nn::Conv2d(nn::Conv2dOptions(width, 1, 1)));
  }
  SegmentationOutput Forward(const torch::Tensor& images) override {
    torch::Tensor x;
    {
      const flowtrain::model::PartScope part("first");
      x = first_(images);
    }
    if (norm_) x = norm_(x);
    x = last_(drop_(torch::relu(x)));
    SegmentationOutput output{.logits = x};
    if (is_training()) output.deep = {torch::avg_pool2d(x, 4)};
    return output;
  }

 private:
  nn::Conv2d first_{nullptr}, last_{nullptr};
  nn::BatchNorm2d norm_{nullptr};
  nn::Dropout drop_{nullptr};
};

// Says that of its layers' 2 and 3 experts each image went to the last one.
class Routed final : public Plain {
 public:
  Routed() : Plain(4, 0, false) {}
  SegmentationOutput Forward(const torch::Tensor& images) override {
    SegmentationOutput output = Plain::Forward(images);
    for (const int64_t experts : {2, 3}) {
      const torch::Tensor usage = torch::zeros({experts});
      usage[experts - 1] = images.size(0);
      output.routing.push_back({{}, {}, usage});
    }
    return output;
  }
};

class Half final : public Plain {
 public:
  Half() : Plain(4, 0, false) {}
  SegmentationOutput Forward(const torch::Tensor& images) override {
    return {.logits = torch::avg_pool2d(Plain::Forward(images).logits, 2)};
  }
};

using Made = std::shared_ptr<SegmentationNetwork>;

class Provider final : public NetworkProvider {
 public:
  explicit Provider(std::function<Made(NetworkOptions&)> make) : make_(std::move(make)) {}
  Made Make(NetworkOptions& options) const override { return make_(options); }

 private:
  const std::function<Made(NetworkOptions&)> make_;
};

Made MakePlain(NetworkOptions& options) {
  const int64_t width = options.Integer("width", 4, 1, 64);
  const double drop = options.Number("drop", 0.1, 0, 1);
  return std::make_shared<Plain>(width, drop, options.Choice("norm", {"batch", "none"}) == "batch");
}

}  // namespace

FLOWTRAIN_PLUGIN("networks", "0.1", registrar) {
  const auto provide = [&](const char* name, std::function<Made(NetworkOptions&)> make) {
    registrar.Provide<NetworkProvider>(name, std::make_shared<Provider>(std::move(make)));
  };
  provide("networks.plain", MakePlain);
  provide("networks.routed", [](NetworkOptions&) { return std::make_shared<Routed>(); });
  provide("networks.half", [](NetworkOptions&) { return std::make_shared<Half>(); });
  provide("networks.none", [](NetworkOptions&) { return nullptr; });
  provide("networks.throws",
          [](NetworkOptions&) -> Made { throw std::runtime_error("it is not ready"); });
  provide("networks.torch",
          [](NetworkOptions&) -> Made { TORCH_CHECK(false, "LibTorch will not"); });
}
