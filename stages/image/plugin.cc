#include <flowtrain/stage.h>

#include <opencv2/core.hpp>

#include "stages/image/augment.h"
#include "stages/image/decode.h"

FLOWTRAIN_PLUGIN("image", "0.1", registrar) {
  // OpenCV would start threads of its own beside the workers: Debian's runs on oneTBB.
  cv::setNumThreads(1);
  registrar.Add<flowtrain::image::Decode>();
  registrar.Add<flowtrain::image::Augment>();
}
