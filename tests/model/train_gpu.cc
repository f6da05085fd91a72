// The trainer on a GPU; where there is none, these cases say so and end.
#include <torch/torch.h>

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <filesystem>

#include "model/doctest_torch.h"
#include "model/train/segmentation_trainer.h"
#include "support/scratch_folder.h"
#include "model/train_tiny_network.h"

namespace flowtrain::model {
namespace {

using test::MakeToyBatch;
using test::TinyNetwork;
using test::ToyBatch;

// LibTorch looks for its CUDA half once, at first need, so it is opened before anything runs; on a
// machine without a driver it is left alone, since opening takes a second.
const bool g_cuda_opened = std::filesystem::exists("/dev/nvidiactl") &&
                           dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr;

bool HasGpu() {
  const bool has = g_cuda_opened && torch::cuda::is_available();
  if (!has) MESSAGE("skipped: no GPU");
  return has;
}

TrainerOptions Options() {
  TrainerOptions options;
  options.device = "cuda";
  options.schedule = {.lr = 1e-2, .min_lr = 1e-3, .warmup_steps = 3, .total_steps = 60};
  return options;
}

ToyBatch OnGpu(uint64_t seed) {
  const ToyBatch batch = MakeToyBatch(seed);
  return {batch.images.cuda(), batch.masks.cuda()};
}

TEST_CASE("on a GPU the toy problem is learnt in bf16, with float32 weights and losses") {
  if (!HasGpu()) return;
  const auto network = std::make_shared<TinyNetwork>();
  SegmentationTrainer trainer(network, Options());
  trainer.BindThread();
  CHECK(trainer.precision() == Precision::kBf16);
  std::vector<double> losses;
  for (uint64_t batch = 0; batch < 60; ++batch) {
    const ToyBatch toy = OnGpu(batch);
    const StepResult result = trainer.Step(toy.images, toy.masks);
    CHECK((result.loss.total.scalar_type() == torch::kFloat));
    losses.push_back(Summarise(result).loss);
  }
  const ToyBatch toy = OnGpu(1000);
  trainer.Evaluate(toy.images, toy.masks, 4);
  const EvalMetrics metrics = trainer.FinishEvaluation();
  MESSAGE("loss " << losses.front() << " -> " << losses.back() << ", IoU " << metrics.iou);
  CHECK(losses.back() < 0.6 * losses.front());
  CHECK(metrics.iou > 0.7);
  for (const torch::Tensor& p : network->parameters()) CHECK((p.scalar_type() == torch::kFloat));
}

TEST_CASE("a step on a GPU returns before the GPU has begun it") {
  if (!HasGpu()) return;
  SegmentationTrainer trainer(std::make_shared<TinyNetwork>(), Options());
  const ToyBatch toy = OnGpu(0);
  Summarise(trainer.Step(toy.images, toy.masks));  // plans and memory are made at the first step
  const torch::Tensor a = torch::randn({8192, 8192}, torch::kCUDA);
  torch::Tensor product = torch::empty_like(a);
  const c10::impl::VirtualGuardImpl gpu(at::kCUDA);
  for (int i = 0; i < 100; ++i) at::mm_out(product, a, a);  // about two seconds of work in front
  c10::Event before_step(at::kCUDA);
  before_step.record(gpu.getStream(toy.images.device()));
  StepResult result = trainer.Step(toy.images, toy.masks);
  CHECK_FALSE(before_step.query());
  CHECK(Summarise(result).step == 2);
  CHECK(before_step.query());
}

TEST_CASE("a GPU's checkpoint goes on, also on a CPU") {
  if (!HasGpu()) return;
  const ScratchFolder dir;
  SegmentationTrainer trainer(std::make_shared<TinyNetwork>(), Options());
  for (uint64_t batch = 0; batch < 5; ++batch) {
    const ToyBatch toy = OnGpu(batch);
    trainer.Step(toy.images, toy.masks);
  }
  trainer.Save(dir.path());
  const ToyBatch next = OnGpu(5);
  const double loss = Summarise(trainer.Step(next.images, next.masks)).loss;

  SegmentationTrainer resumed(std::make_shared<TinyNetwork>(), Options());
  resumed.Load(dir.path());
  CHECK(Summarise(resumed.Step(next.images, next.masks)).loss == doctest::Approx(loss).epsilon(1e-3));

  TrainerOptions cpu = Options();
  cpu.device = "cpu";
  SegmentationTrainer on_cpu(std::make_shared<TinyNetwork>(), cpu);
  on_cpu.Load(dir.path());
  CHECK(on_cpu.step() == 5);
  const StepSummary summary = Summarise(on_cpu.Step(next.images.cpu(), next.masks.cpu()));
  CHECK(summary.loss == doctest::Approx(loss).epsilon(0.1));  // other dropout, other rounding
}

}  // namespace
}  // namespace flowtrain::model
