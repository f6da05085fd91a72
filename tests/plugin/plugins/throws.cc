// Registers one stage, then throws.
#include "nothing_stage.h"

class First final : public NothingStage {
 public:
  using NothingStage::NothingStage;
  static void Declare(flowtrain::Declaration<Params>& d) {
    d.Type("throws.first", "");
    d.Input("in");
  }
};

FLOWTRAIN_PLUGIN("throws", "1.0", r) {
  r.Add<First>();
  throw flowtrain::Error("no licence found");
}
