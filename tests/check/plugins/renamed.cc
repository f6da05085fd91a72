// A stage with a parameter that was called otherwise before.
#include "invert.h"

namespace {

using namespace flowtrain;

class Blur final : public Transform {
 public:
  struct Params {
    double sigma = 1;
    int rounds = 1;
  };
  static void Declare(Declaration<Params>& d) {
    d.Type("renamed.blur", "Blurs the image.");
    d.Edits("image");
    d.Param("sigma", &Params::sigma, "How far it blurs.")
        .Above(0)
        .Unit("px")
        .WasNamed("std", "0.3");
    d.Param("rounds", &Params::rounds, "How often.").Required().Range(1, 9).WasNamed("times");
  }
  explicit Blur(const Params&) {}
  void Process(Sample&, Context&) const override {}
};

}  // namespace

FLOWTRAIN_PLUGIN("renamed", "0.1", r) { r.Add<Blur>(); }
