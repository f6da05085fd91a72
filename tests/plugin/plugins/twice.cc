// Registers a type twice.
#include "nothing_stage.h"

class Same final : public NothingStage {
 public:
  using NothingStage::NothingStage;
  static void Declare(flowtrain::Declaration<Params>& d) {
    d.Type("twice.same", "");
    d.Input("in");
  }
};

FLOWTRAIN_PLUGIN("twice", "1.0", r) {
  r.Add<Same>();
  r.Add<Same>();
}
