#include <torch/torch.h>

#include <cmath>

#include "model/doctest_torch.h"
#include "model/train/segmentation_evaluation.h"

namespace flowtrain::model {
namespace {

struct Expected {
  double mae = 0;
  double iou = 0;
};

// The definitions, pixel by pixel.
Expected PlainLoops(const torch::Tensor& logits, const torch::Tensor& masks) {
  Expected sum;
  const int64_t images = logits.size(0), pixels = logits[0].numel();
  const torch::Tensor flat_logits = logits.contiguous(), flat_masks = masks.contiguous();
  const float* x = flat_logits.const_data_ptr<float>();
  const float* m = flat_masks.const_data_ptr<float>();
  for (int64_t b = 0; b < images; ++b) {
    double error = 0;
    int64_t hit = 0, either = 0;
    for (int64_t i = 0; i < pixels; ++i, ++x, ++m) {
      const double p = 1 / (1 + std::exp(-static_cast<double>(*x)));
      const bool predicted = p >= 0.5, foreground = *m > 0.5;
      error += std::abs(p - foreground);
      hit += predicted && foreground;
      either += predicted || foreground;
    }
    sum.mae += error / static_cast<double>(pixels);
    sum.iou += either == 0 ? 0 : static_cast<double>(hit) / static_cast<double>(either);
  }
  return {sum.mae / static_cast<double>(images), sum.iou / static_cast<double>(images)};
}

TEST_CASE("MAE and IoU over several batches are the plain loops' means over images") {
  torch::manual_seed(5);
  const torch::Tensor logits = torch::randn({7, 1, 13, 17}) * 3;
  torch::Tensor masks = (torch::rand({7, 1, 13, 17}) > 0.7).to(torch::kFloat);
  masks[2].fill_(0);
  logits[2].fill_(-1);  // nothing there and nothing predicted: 0 / 0 counts as 0
  logits[3].fill_(0);   // p = 0.5 exactly is foreground
  SegmentationEvaluation evaluation;
  evaluation.Add(logits.narrow(0, 0, 4), masks.narrow(0, 0, 4));
  evaluation.Add(logits.narrow(0, 4, 3), masks.narrow(0, 4, 3));
  const EvalMetrics metrics = evaluation.Finish();
  const Expected expected = PlainLoops(logits, masks);
  CHECK(metrics.images == 7);
  CHECK(metrics.mae == doctest::Approx(expected.mae).epsilon(1e-6));
  CHECK(metrics.iou == doctest::Approx(expected.iou).epsilon(1e-9));
}

TEST_CASE("a finished evaluation starts again from nothing") {
  SegmentationEvaluation evaluation;
  CHECK(evaluation.Finish().images == 0);
  const torch::Tensor masks = torch::ones({2, 1, 4, 4});
  evaluation.Add(torch::full({2, 1, 4, 4}, -20.0f), masks);
  CHECK(evaluation.Finish().mae == doctest::Approx(1.0));
  evaluation.Add(torch::full({1, 1, 4, 4}, 20.0f), masks.narrow(0, 0, 1));
  const EvalMetrics metrics = evaluation.Finish();
  CHECK(metrics.images == 1);
  CHECK(metrics.mae == doctest::Approx(0.0).epsilon(1e-6));
  CHECK(metrics.iou == 1.0);
}

}  // namespace
}  // namespace flowtrain::model
