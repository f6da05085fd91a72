// Which networks' steps a trainer records.
#include <torch/torch.h>

#include "model/doctest_torch.h"
#include "model/train/segmentation_trainer.h"
#include "model/train_tiny_network.h"

namespace flowtrain::model {
namespace {

TEST_CASE(
    "steps of a network that is not staged are launched one by one, whatever could record them") {
  int asked = 0;
  TrainerOptions options;
  options.device = "cpu";
  options.schedule = {.lr = 1e-2, .min_lr = 1e-3, .warmup_steps = 3, .total_steps = 60};
  SegmentationTrainer trainer(std::make_shared<test::TinyNetwork>(), options, [&] {
    ++asked;
    return std::unique_ptr<Recorder>();
  });
  trainer.BindThread();
  const test::ToyBatch toy = test::MakeToyBatch(1);
  double first = 0, last = 0;
  for (int step = 0; step < 10; ++step) {
    last = Summarise(trainer.Step(toy.images, toy.masks)).loss;
    if (step == 0) first = last;
  }
  CHECK(asked == 0);
  CHECK(trainer.recording_fault().empty());
  CHECK(last < first);
}

}  // namespace
}  // namespace flowtrain::model
