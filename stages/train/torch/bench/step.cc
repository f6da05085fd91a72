#include "stages/train/torch/bench/step.h"

#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <set>

#include "model/camoxpert.h"
#include "model/layers/layout.h"
#include "model/resnet.h"
#include "model/train/segmentation_trainer.h"
#include "stages/train/torch/bench/balanced_network.h"
#include "stages/train/torch/bench/classification_step.h"
#include "stages/train/torch/bench/parts.h"
#include "stages/train/torch/bench/timing.h"

namespace flowtrain::train::bench {
namespace {

model::MakeRecorder RecorderOf(const BenchOptions& options, const Device& device) {
  return options.recorded ? device.make_recorder() : nullptr;
}

struct Batch {
  at::Tensor images, masks;
};

// Noise that differs from image to image as photographs do, in colour, contrast and coarse shapes, so that
// routers choose differently for each; the mask is where a shape is bright.
Batch MakeBatch(const BenchOptions& options, const Device& device) {
  const auto on_device = at::device(device.torch);
  const int64_t n = options.batch;
  const at::Tensor coarse = at::upsample_bilinear2d(at::randn({n, 1, 8, 8}, on_device),
                                                    {options.size, options.size}, /*align_corners=*/false);
  const at::Tensor colour = at::randn({n, 3, 1, 1}, on_device), contrast = at::rand({n, 1, 1, 1}, on_device);
  const at::Tensor fine = RandomImages(options, device);
  return {(fine * contrast + coarse + colour).to(fine.scalar_type()).contiguous(fine.suggest_memory_format()),
          coarse.gt(0.8).to(at::kFloat)};
}

std::function<void()> CamoXpertStep(const BenchOptions& options, const Device& device) {
  auto network =
      std::dynamic_pointer_cast<model::StagedNetwork>(model::MakeCamoXpert(NetworkOptions(options)));
  if (options.routing != "learned") {
    network = std::make_shared<BalancedNetwork>(network, options.routing == "known");
  }
  model::TrainerOptions trainer_options;
  trainer_options.device = device.name();
  trainer_options.precision = device.precision_name();
  trainer_options.channels_last = options.channels_last;
  trainer_options.schedule = {.lr = 2.5e-4, .min_lr = 1e-5, .total_steps = 100000};
  trainer_options.ema_decay = 0.999;
  trainer_options.cpu_threads = at::get_num_threads();
  const auto trainer = std::make_shared<model::SegmentationTrainer>(network, trainer_options,
                                                                    RecorderOf(options, device));
  // With learned routing another batch each step, as in training: the routers choose anew for each.
  std::vector<Batch> batches;
  for (int i = 0; i < (options.routing == "learned" ? 16 : 1); ++i) batches.push_back(MakeBatch(options, device));
  return [trainer, batches, next = size_t{0}]() mutable {
    const Batch& batch = batches[next++ % batches.size()];
    trainer->Step(batch.images, batch.masks);
    if (!trainer->recording_fault().empty()) throw std::runtime_error("recording: " + trainer->recording_fault());
  };
}

std::function<void()> ResNetStep(const BenchOptions& options, const Device& device) {
  const auto network = std::make_shared<model::ResNet50>();
  network->to(device.torch);
  {
    const torch::NoGradGuard no_grad;
    model::ToChannelsLast(*network);
  }
  const model::MakeRecorder make = RecorderOf(options, device);
  const auto step = std::make_shared<ClassificationStep>(network, device.precision, make ? make() : nullptr);
  const at::Tensor images = RandomImages(options, device);
  const at::Tensor classes = at::randint(0, 1000, {options.batch}, at::device(device.torch).dtype(at::kLong));
  return [step, images, classes] { step->Run(images, classes); };
}

// Five steps as a Chrome trace: which kernels there are, and how long the GPU waits between them.
void Trace(const std::string& file, const Device& device, const std::function<void()>& step) {
  namespace profiler = torch::autograd::profiler;
  using torch::profiler::impl::ActivityType;
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  const std::set<ActivityType> activities = {ActivityType::CPU, ActivityType::CUDA};
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  for (int i = 0; i < 5; ++i) step();
  WaitFor(device.torch);
  profiler::disableProfiler()->save(file);
}

}  // namespace

std::function<void()> StepOf(const BenchOptions& options, const Device& device) {
  return options.step == "resnet50" ? ResNetStep(options, device) : CamoXpertStep(options, device);
}

void MeasureSteps(const BenchOptions& options, const Device& device, std::ostream& out) {
  torch::manual_seed(42);
  const auto step = StepOf(options, device);
  const Times first = Measure(device.torch, 24, step);  // plans, memory, recordings
  out << "{\"network\": \"" << options.step << "\", \"first_steps_ms\": " << first.whole_ms << "}" << std::endl;
  if (!options.trace.empty()) Trace(options.trace, device, step);
  for (int block = 0; block < options.blocks; ++block) {
    if (std::string line; options.on_line && !std::getline(std::cin, line)) return;
    const Times times = Measure(device.torch, options.rounds, step);
    const double per_step = times.whole_ms / options.rounds;
    out << "{\"network\": \"" << options.step << "\", \"batch\": " << options.batch
        << ", \"ms\": " << per_step << ", \"median_ms\": " << times.median()
        << ", \"min_ms\": " << times.smallest() << ", \"max_ms\": " << times.largest()
        << ", \"images_per_s\": " << 1e3 * static_cast<double>(options.batch) / per_step << "}" << std::endl;
  }
}

}  // namespace flowtrain::train::bench
