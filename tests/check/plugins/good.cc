// A plugin as it should be: draws from the context's random numbers, keeps no state, and refuses
// bytes that it can't read as content at fault.
#include "invert.h"

namespace {

using namespace flowtrain;

class Inverts final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) { DeclareInvert(d, "good.invert"); }
  explicit Inverts(const Params&) {}
  void Process(Sample& sample, Context& context) const override {
    if (context.rng().Bernoulli(0.5)) Invert(sample.image("image"));
  }
};

class Unpack final : public Transform {
 public:
  struct Params {
    int skip = 0;
  };
  static void Declare(Declaration<Params>& d) {
    d.Type("good.unpack", "Takes the first bytes as gray pixels.");
    d.Makes("image", Flow::kEncoded, [](const Params&) { return Pixels(2, 4, 1); });
    d.Param("skip", &Params::skip, "Bytes left out at the start.").Required().Range(0, 100);
  }
  explicit Unpack(const Params& params) : skip_(static_cast<size_t>(params.skip)) {}
  void Process(Sample& sample, Context&) const override {
    const Buffer& encoded = sample.encoded("image");
    if (encoded.size < skip_ + 8) throw BadSample("too short", sample.path + ": too short");
    const Image& image = sample.MakeImage("image", 2, 4, 1);
    for (size_t i = 0; i < 8; ++i)
      image.row(static_cast<int>(i / 4))[i % 4] = encoded.data[skip_ + i];
  }

 private:
  const size_t skip_;
};

}  // namespace

FLOWTRAIN_PLUGIN("good", "1.0", r) {
  r.Add<Inverts>();
  r.Add<Unpack>();
}
