#include "image/augmenting.h"

#include <flowtrain/stage.h>

#include <cstring>
#include <memory>

namespace flowtrain::testing {
namespace {

// Makes the image and the mask of a sample from pixels.
class Given final : public Transform {
 public:
  struct Params {};
  Given(const Raster& image, const Raster& mask) : image_(image), mask_(mask) {}
  void Process(Sample& sample, Context&) const override {
    Make(sample, "image", image_);
    Make(sample, "mask", mask_);
  }

 private:
  static void Make(Sample& sample, const char* name, const Raster& from) {
    const Image& to = sample.MakeImage(name, from.height, from.width, from.channels);
    std::memcpy(to.data, from.values.data(), from.values.size());
  }
  const Raster &image_, &mask_;
};

}  // namespace

Augmented AugmentPixels(const Value& params, const Raster& image, const Raster& mask,
                        uint64_t position) {
  StageDeclaration given;
  given.type = "test.given";
  given.create = [&](const Value&) { return std::make_unique<Given>(image, mask); };
  StageRunner runner;
  runner.Add(given).Add(ImagePlugin().Find("image.augment"), params);
  Sample sample;
  sample.id.position = position;
  runner.Process(sample);
  return {Copy(sample.image("image")), Copy(sample.image("mask"))};
}

}  // namespace flowtrain::testing
