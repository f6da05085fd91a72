#include <flowtrain/stage.h>

#include "stages/monitor/null.h"
#include "stages/monitor/preview.h"

FLOWTRAIN_PLUGIN("monitor", "0.1", registrar) {
  registrar.Add<flowtrain::monitor::Null>();
  registrar.Add<flowtrain::monitor::Preview>();
}
