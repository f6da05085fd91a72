#include <flowtrain/stage.h>

#include "stages/data/classification.h"
#include "stages/data/list.h"
#include "stages/data/mix.h"
#include "stages/data/segmentation.h"
#include "stages/data/webdataset.h"

FLOWTRAIN_PLUGIN("data", "0.1", registrar) {
  registrar.Add<flowtrain::data::Classification>();
  registrar.Add<flowtrain::data::List>();
  registrar.Add<flowtrain::data::Mix>();
  registrar.Add<flowtrain::data::Segmentation>();
  registrar.Add<flowtrain::data::WebDataset>();
}
