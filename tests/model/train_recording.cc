// Which networks' steps a trainer records, and what it does where recordings leave no memory.
#include <torch/torch.h>

#include "model/camoxpert.h"
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

// On a CPU nothing can be replayed: what is recorded is done once. Good for what comes beside it.
class DoneOnce final : public Recording {
 public:
  void Replay() override {}
};

struct Memory {
  int recorders = 0, released = 0, recordings_made = 0;
};

class OnceRecorder final : public Recorder {
 public:
  explicit OnceRecorder(Memory& memory) : memory_(memory) { ++memory_.recorders; }
  void ReleaseCache() override { ++memory_.released; }
  bool HasRoom() override { return true; }
  std::unique_ptr<Recording> Record(const std::function<void()>& work) override {
    work();
    ++memory_.recordings_made;
    return std::make_unique<DoneOnce>();
  }

 private:
  Memory& memory_;
};

// CamoXpert, that runs out of memory in the next `fails` calls of its first layer.
class Starving final : public StagedNetwork {
 public:
  Starving() {
    torch::manual_seed(3);
    CamoXpertOptions options;
    options.backbone = "edgenext_xx_small";
    options.encoder = "gate";
    network_ = register_module("network", std::dynamic_pointer_cast<StagedNetwork>(MakeCamoXpert(options)));
  }
  size_t layers() const override { return network_->layers(); }
  EncodedLayer Encode(size_t layer, const torch::Tensor& from) override {
    if (layer == 0 && fails > 0) {
      --fails;
      TORCH_CHECK_WITH(OutOfMemoryError, false, "the card is full");
    }
    return network_->Encode(layer, from);
  }
  torch::Tensor Mix(size_t layer, const EncodedLayer& encoded, const torch::Tensor& chosen) override {
    return network_->Mix(layer, encoded, chosen);
  }
  const std::vector<std::shared_ptr<Expert>>& experts(size_t layer) const override {
    return network_->experts(layer);
  }
  SegmentationOutput Decode(const std::vector<torch::Tensor>& mixed, int64_t height, int64_t width) override {
    return network_->Decode(mixed, height, width);
  }
  int fails = 0;

 private:
  std::shared_ptr<StagedNetwork> network_;
};

class Starved {
 public:
  Starved() {
    TrainerOptions options;
    options.device = "cpu";
    options.schedule = {.lr = 1e-3, .min_lr = 1e-3, .warmup_steps = 0, .total_steps = 60};
    trainer = std::make_unique<SegmentationTrainer>(network, options,
                                                    [this] { return std::make_unique<OnceRecorder>(memory); });
    trainer->BindThread();
    for (int step = 0; step < 5; ++step) trainer->Step(images, masks);
    REQUIRE(trainer->recorded_steps() == 2);
    REQUIRE(trainer->records());
    memory.released = 0;
  }

  Memory memory;
  const std::shared_ptr<Starving> network = std::make_shared<Starving>();
  const torch::Tensor images = at::rand({2, 3, 64, 64}), masks = at::rand({2, 1, 64, 64}).gt(0.5).to(at::kFloat);
  std::unique_ptr<SegmentationTrainer> trainer;
};

TEST_CASE("a validation for which recordings leave no memory is done with theirs") {
  Starved run;
  run.network->fails = 1;
  run.trainer->Evaluate(run.images, run.masks, 2);
  CHECK(run.trainer->FinishEvaluation().images == 2);
  CHECK_FALSE(run.trainer->records());
  CHECK(run.memory.released == 1);
  CHECK(run.trainer->recording_fault() == "the card is full");
  // Launched from now on.
  const int made = run.memory.recordings_made;
  for (int step = 0; step < 6; ++step) Summarise(run.trainer->Step(run.images, run.masks));
  CHECK(run.memory.recordings_made == made);
  CHECK(run.trainer->recorded_steps() == 2);
}

TEST_CASE("a step of another size for which recordings leave no memory is done with theirs") {
  Starved run;
  run.network->fails = 1;
  const auto result = Summarise(run.trainer->Step(run.images.narrow(0, 0, 1), run.masks.narrow(0, 0, 1)));
  CHECK(result.step == 6);
  CHECK(result.lr == 1e-3);
  CHECK_FALSE(run.trainer->records());
}

TEST_CASE("without recordings there is nothing to give: what has no memory fails") {
  Starved run;
  run.network->fails = 2;
  CHECK_THROWS_AS(run.trainer->Evaluate(run.images, run.masks, 2), c10::OutOfMemoryError);
}

}  // namespace
}  // namespace flowtrain::model
