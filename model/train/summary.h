// The plain numbers a trainer reports, on the host. Free of LibTorch.
#pragma once

#include <cstdint>
#include <vector>

namespace flowtrain::model {

struct StepSummary {
  int64_t step = 0;  // counts from 1: the number of optimizer steps made so far
  double lr = 0;
  double loss = 0;   // the weighted total; the parts are before their weights
  double bce = 0;
  double iou = 0;
  double edge = 0;
  double deep = 0;
  double auxiliary = 0;
  double gradient_norm = 0;                // before clipping
  std::vector<std::vector<double>> usage;  // [layer][expert], images routed to it in this step
};

struct EvalMetrics {
  int64_t images = 0;
  double mae = 0;  // mean over images of mean |p - g|; 0 without images
  double iou = 0;  // mean over images of TP / (TP + FP + FN) at p >= 0.5; 0 / 0 counts as 0
};

}  // namespace flowtrain::model
