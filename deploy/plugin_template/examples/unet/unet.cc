// unet.plain: a U-Net (Ronneberger et al. 2015, "U-Net: Convolutional Networks for Biomedical Image
// Segmentation"), with batch norm and bilinear upsampling, for train.segmentation to train.
#include <flowtrain/stage.h>
#include <model/describe/part_scope.h>
#include <model/network_provider.h>

#include <memory>
#include <string>
#include <vector>

namespace {

namespace nn = torch::nn;
namespace model = flowtrain::model;

constexpr int64_t kLevels = 4;  // each at half the size of the one before, with twice the channels

nn::Sequential Block(int64_t in, int64_t out) {
  const auto conv = [](int64_t from, int64_t to) {
    return nn::Conv2d(nn::Conv2dOptions(from, to, 3).padding(1).bias(false));
  };
  return nn::Sequential(conv(in, out), nn::BatchNorm2d(out), nn::ReLU(),  //
                        conv(out, out), nn::BatchNorm2d(out), nn::ReLU());
}

std::string Key(const char* side, size_t level) { return side + std::to_string(level); }

class Unet final : public model::SegmentationNetwork {
 public:
  explicit Unet(int64_t width) {
    // What is registered is trained, saved and loaded, under these names.
    for (int64_t level = 0; level < kLevels; ++level) {
      const int64_t out = width << level, in = level == 0 ? 3 : out / 2;
      down_.push_back(register_module(Key("down_", level), Block(in, out)));
      if (level + 1 == kLevels) break;
      up_.push_back(register_module(Key("up_", level), Block(out + 2 * out, out)));
    }
    head_ = register_module("head", nn::Conv2d(nn::Conv2dOptions(width, 1, 1)));
  }

  model::SegmentationOutput Forward(const torch::Tensor& images) override {
    std::vector<torch::Tensor> skips;
    torch::Tensor x = images;
    for (size_t level = 0; level < down_.size(); ++level) {
      const std::string key = Key("down_", level);
      const model::PartScope part(key.c_str());  // for `flowtrain model describe`
      x = down_[level]->forward(level == 0 ? x : torch::max_pool2d(x, 2));
      skips.push_back(x);
    }
    for (size_t level = up_.size(); level-- > 0;) {
      const std::string key = Key("up_", level);
      const model::PartScope part(key.c_str());
      const torch::Tensor& skip = skips[level];  // sides that are odd lost a pixel below
      x = torch::upsample_bilinear2d(x, {skip.size(2), skip.size(3)}, /*align_corners=*/false);
      x = up_[level]->forward(torch::cat({skip, x}, 1));
    }
    const model::PartScope part("head");
    return {.logits = head_->forward(x)};
  }

 private:
  std::vector<nn::Sequential> down_, up_;
  nn::Conv2d head_{nullptr};
};

class Plain final : public model::NetworkProvider {
 public:
  std::shared_ptr<model::SegmentationNetwork> Make(model::NetworkOptions& options) const override {
    return std::make_shared<Unet>(options.Integer("width", /*otherwise=*/16, 1, 1024));
  }
};

}  // namespace

FLOWTRAIN_PLUGIN("unet", "0.1", registrar) {
  registrar.Provide<model::NetworkProvider>("unet.plain", std::make_shared<Plain>());
}
