// @name@.box: blurs some of the images, each pixel becoming the mean of the square around it.
#include <flowtrain/stage.h>

#include <algorithm>
#include <cstring>

namespace {

// Process is called concurrently, so a stage keeps nothing between calls.
class Box final : public flowtrain::Transform {
 public:
  struct Params {
    int radius = 1;
    double p = 0.5;
  };
  static void Declare(flowtrain::Declaration<Params>& d);
  explicit Box(const Params& params) : params_(params) {}

  void Process(flowtrain::Sample& sample, flowtrain::Context& context) const override;

 private:
  const Params params_;
};

// What graphs may say, and what `flowtrain describe @name@.box` prints.
void Box::Declare(flowtrain::Declaration<Params>& d) {
  d.Type("@name@.box", "Blurs some of the images.");
  d.Edits("image");
  d.Param("radius", &Params::radius, "How far the square reaches from its middle.")
      .Range(1, 32)
      .Unit("px");
  d.Param("p", &Params::p, "The share of images that are blurred.").Range(0, 1);
}

void Box::Process(flowtrain::Sample& sample, flowtrain::Context& context) const {
  flowtrain::Image& image = sample.image("image");
  // Content at fault: the run replaces this sample and goes on.
  if (image.depth != 8)
    throw flowtrain::BadSample("not 8 bits a channel", sample.path + ": not 8 bits a channel");
  // The context's numbers depend on seed, epoch and sample only, never on threads.
  if (!context.rng().Bernoulli(params_.p)) return;

  const size_t row_bytes = image.row_bytes();
  const auto before = context.Scratch(row_bytes * static_cast<size_t>(image.height));
  for (int y = 0; y < image.height; ++y)
    std::memcpy(before.data() + row_bytes * static_cast<size_t>(y), image.row(y), row_bytes);

  for (int y = 0; y < image.height; ++y) {
    const int top = std::max(y - params_.radius, 0);
    const int bottom = std::min(y + params_.radius, image.height - 1);
    for (int x = 0; x < image.width; ++x) {
      const int left = std::max(x - params_.radius, 0);
      const int right = std::min(x + params_.radius, image.width - 1);
      const int pixels = (bottom - top + 1) * (right - left + 1);
      for (int c = 0; c < image.channels; ++c) {
        int sum = pixels / 2;  // rounds to the nearest
        for (int v = top; v <= bottom; ++v) {
          const uint8_t* row = before.data() + row_bytes * static_cast<size_t>(v);
          for (int u = left; u <= right; ++u) sum += row[u * image.channels + c];
        }
        image.row(y)[x * image.channels + c] = static_cast<uint8_t>(sum / pixels);
      }
    }
  }
}

}  // namespace

FLOWTRAIN_PLUGIN("@name@", "0.1", registrar) { registrar.Add<Box>(); }
