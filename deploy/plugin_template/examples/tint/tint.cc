// tint.mix: mixes a colour, which another plugin provides, into the image.
#include <flowtrain/stage.h>

#include <string>

#include "palette.h"

namespace {

class Mix final : public flowtrain::Transform {
 public:
  struct Params {
    std::string colour;
    double amount = 0.3;
  };
  static void Declare(flowtrain::Declaration<Params>& d) {
    d.Type("tint.mix", "Mixes a colour into the image.");
    d.Edits("image");
    d.Param("colour", &Params::colour, "Who provides it, such as palette.warm.").Required();
    d.Param("amount", &Params::amount, "How much of the image becomes the colour.").Range(0, 1);
  }
  explicit Mix(const Params& params) : params_(params) {}

  // Looking "palette.warm" up opens libflowtrain_palette.so, where no stage of it did before.
  void Open(flowtrain::OpenContext& context) override {
    try {
      colour_ = context.Find<palette::Palette>(params_.colour).Tint();
    } catch (const flowtrain::Error& error) {
      context.Refuse("colour", error.what());  // names the place in the graph file
    }
  }

  void Process(flowtrain::Sample& sample, flowtrain::Context&) const override {
    flowtrain::Image& image = sample.image("image");
    if (image.channels != 3 || image.depth != 8)
      throw flowtrain::BadSample("not RGB", sample.path + ": tint.mix takes RGB images of 8 bits");
    const int colour[] = {colour_.red, colour_.green, colour_.blue};
    for (int y = 0; y < image.height; ++y) {
      uint8_t* row = image.row(y);
      for (size_t i = 0; i < image.row_bytes(); ++i) {
        const double mixed = row[i] + params_.amount * (colour[i % 3] - row[i]);
        row[i] = static_cast<uint8_t>(mixed + 0.5);
      }
    }
  }

 private:
  const Params params_;
  palette::Colour colour_;
};

}  // namespace

FLOWTRAIN_PLUGIN("tint", "0.1", registrar) { registrar.Add<Mix>(); }
