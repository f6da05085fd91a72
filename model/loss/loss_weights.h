// The weights of the CamoXpert loss's parts. Plain numbers, free of LibTorch, so that a stage can
// declare them without opening it.
#pragma once

namespace flowtrain::model {

struct LossWeights {
  double bce = 2.0;
  double iou = 1.5;
  double edge = 1.0;
  double deep = 0.4;  // on the mean over the side outputs
};

}  // namespace flowtrain::model
