// Random numbers of its own instead of the context's: another result every time.
#include <random>

#include "invert.h"

namespace {

using namespace flowtrain;

class Inverts final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) { DeclareInvert(d, "unsteady.invert"); }
  explicit Inverts(const Params&) : engine_(std::random_device()()) {}
  void Process(Sample& sample, Context&) const override {
    sample.image("image").row(0)[0] ^= static_cast<uint8_t>(engine_());
  }

 private:
  mutable std::mt19937 engine_;
};

}  // namespace

FLOWTRAIN_PLUGIN("unsteady", "1.0", r) { r.Add<Inverts>(); }
