// Registers a type under another plugin's name.
#include "nothing_stage.h"

class Stray final : public NothingStage {
 public:
  using NothingStage::NothingStage;
  static void Declare(flowtrain::Declaration<Params>& d) {
    d.Type("good.stray", "");
    d.Input("in");
  }
};

FLOWTRAIN_PLUGIN("stray", "1.0", r) { r.Add<Stray>(); }
