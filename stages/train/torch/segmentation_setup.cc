// How the trainer is made from the graph's words.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "model/network.h"
#include "model/staged_network.h"
#include "stages/train/network_refused.h"
#include "stages/train/torch/camoxpert_options.h"
#include "stages/train/torch/initial_weights.h"
#include "stages/train/torch/make_network.h"
#include "stages/train/torch/segmentation.h"
#include "stages/train/torch/without_backtrace.h"
#include "stages/train/torch_half.h"

namespace flowtrain::train {
namespace {

// Each phase has a course of its own.
model::WarmupCosine Schedule(const OptimizerParams& p, const Course& course) {
  model::WarmupCosine schedule{.lr = p.lr, .min_lr = p.min_lr};
  schedule.first_step = course.first_step;
  schedule.total_steps = course.epochs * course.steps_per_epoch;
  schedule.warmup_steps =
      std::llround(p.warmup_epochs * static_cast<double>(course.steps_per_epoch));
  return schedule;
}

std::shared_ptr<model::SegmentationNetwork> NetworkOf(const ModelParams& params, OpenContext& context) {
  const auto find = [&](const std::string& interface, const std::string& name) {
    return context.FindProvided(interface, name);
  };
  std::shared_ptr<model::SegmentationNetwork> network;
  try {
    network = MakeNetwork(find, params);
  } catch (const NetworkRefused& refused) {
    context.Refuse(refused.place(), refused.what());
  }
  return network;
}

}  // namespace

void Segmentation::Open(OpenContext& context) {
  WithoutBacktrace([&] {
    device_ = OpenDevice(context, params_.device, params_.precision);
    options_.device = device_.name();
    options_.precision = device_.precision_name();
    options_.channels_last = params_.channels_last;
    options_.ema_decay = params_.ema;
    options_.seed = context.seed();
    options_.cpu_threads = params_.cpu_threads > 0 ? params_.cpu_threads
                           : device_.cuda()        ? 1
                                                   : context.granted_cpus();
    Plan(context);
    torch::manual_seed(context.seed());
    network_ = NetworkOf(params_.model, context);
    if (!context.resuming()) LoadInitialWeights(context, params_.model, *network_);
    MakeTrainer();
  });
}

void Segmentation::Plan(OpenContext& context) {
  const PhaseInfo& phase = context.phase();
  course_.first_epoch = static_cast<int64_t>(phase.first_epoch);
  course_.epochs = phase.epochs > 0 ? static_cast<int64_t>(phase.epochs) : params_.epochs;
  course_.steps_per_epoch = static_cast<int64_t>(context.input("train").batches_per_epoch);
  course_.max_steps = params_.max_steps;
  options_.loss = {params_.loss.bce, params_.loss.iou, params_.loss.edge, params_.loss.deep};
  options_.schedule = Schedule(params_.optimizer, course_);
  options_.weight_decay = params_.optimizer.weight_decay;
  options_.clip = params_.optimizer.clip;
  for (const char* port : {"train", "val"}) {
    for (const Tensor& tensor : context.input(port).tensors) {
      if (tensor.name != "image" || tensor.shape.size() != 4) continue;
      if (std::min(tensor.shape[1], tensor.shape[2]) >= model::kSmallestSide) continue;
      throw Error("images of " + std::to_string(tensor.shape[1]) + " x " + std::to_string(tensor.shape[2]) +
                  " px come in at \"" + port + "\"; networks take " + std::to_string(model::kSmallestSide) +
                  " px and more on each side");
    }
  }
  const InputInfo& train = context.input("train");
  if (train.batch == 1 ||
      (train.batch > 1 && train.samples_per_epoch % static_cast<uint64_t>(train.batch) == 1)) {
    context.Warn("there are batches of one image: batch norm takes its statistics from that image alone; a "
                 "larger batch, or last_batch \"drop\" at staging, avoids it");
  }
  if (params_.optimizer.min_lr > params_.optimizer.lr)
    context.Refuse("optimizer/min_lr", "is more than lr");
  if (options_.schedule.warmup_steps > options_.schedule.total_steps) {
    context.Warn("optimizer/warmup_epochs is more than the " + std::to_string(course_.epochs) +
                 (phase.count > 1 ? " epochs of the phase" : " epochs of the run") +
                 ": the learning rate rises to the end");
    options_.schedule.warmup_steps = options_.schedule.total_steps;
  }
}

void Segmentation::EnterPhase(const Consumer& planned, OpenContext& context) {
  WithoutBacktrace([&] {
    const SegmentationParams& next = dynamic_cast<const Segmentation&>(planned).params_;
    params_.optimizer = next.optimizer;
    params_.loss = next.loss;
    params_.validate_every = next.validate_every;
    params_.log_every = next.log_every;
    course_.first_step = trainer_->step();
    Plan(context);
    trainer_->Adjust(options_);
  });
}

void Segmentation::MakeTrainer() {
  trainer_ = std::make_unique<model::SegmentationTrainer>(
      network_, options_, params_.cuda_graphs ? device_.make_recorder() : nullptr);
}

void Segmentation::Introduce(RunContext& context) const {
  char millions[32];
  std::snprintf(millions, sizeof millions, "%.2f M parameters",
                static_cast<double>(trainer_->parameter_count()) / 1e6);
  const std::string threads =
      std::to_string(options_.cpu_threads) + (options_.cpu_threads == 1 ? " thread" : " threads");
  const std::string device = device_.name() + ", " + device_.precision_name() + ", " + threads;
  const ModelParams& model = params_.model;
  const bool camoxpert = model.network == kCamoXpert;
  context.Info((camoxpert ? CamoXpertInWords(model, /*attention=*/false) : model.network) + ": " + millions);
  context.Info("device " + device + (params_.channels_last ? ", channels last" : ""));
  const auto* const staged = dynamic_cast<const model::StagedNetwork*>(network_.get());
  const bool recordable = staged != nullptr && staged->recordable();
  if (device_.cuda() && params_.cuda_graphs && !recordable) {
    context.Info("steps are launched kernel by kernel: those of this " + model.network + " can't be recorded");
  }
  if (params_.ema > 0) {
    context.Info(std::string(context.input("val").connected ? "validates" : "keeps") +
                 " an average of the weights, decay " + Value(params_.ema).ToJson() +
                 "; each checkpoint has it as ema.safetensors");
  }
  constexpr int64_t kLargeForCpu = 10'000'000;  // a step of 32 images of 352 px takes minutes
  if (!device_.cuda() && trainer_->parameter_count() > kLargeForCpu) {
    context.Warn(std::string("this network is large for a CPU, a step may take minutes; ") +
                 (camoxpert ? "a small one: --set /stages/trainer/model/backbone=edgenext_xx_small, with "
                            : "try ") +
                 "a smaller batch and size");
  }
  if (trainer_->step() > 0) context.Info("goes on after step " + std::to_string(trainer_->step()));
  context.Summary("device", device);
}

void Segmentation::Save(State& state) const {
  if (measured_)
    throw Error("the network has been trained on one batch, to measure: it is not kept");
  WithoutBacktrace([&] { trainer_->Save(state.File("model").parent_path()); });
  state.Set("step", trainer_->step());
  state.Set("epoch", course_.EpochsThrough(trainer_->step()));
  state.Set("phase_step", course_.first_step);
  state.Set("ended_epochs", ended_epochs_);
  state.Set("best_iou", best_ ? Value(best_->iou) : Value());
  state.Set("best_epoch", best_ ? Value(best_->epoch) : Value());
  state.Set("device", device_.cuda() ? "cuda" : "cpu");
  state.Set("cpu_threads", options_.cpu_threads);
  saved_step_ = trainer_->step();
}

void Segmentation::Load(const State& state) {
  // Sums on the CPU depend on the number of threads: what 0 came to then, it is now.
  const auto threads = static_cast<int>(state.Get("cpu_threads").AsInteger());
  if (!device_.cuda() && state.Get("device").AsString() == "cpu" &&
      threads != options_.cpu_threads) {
    options_.cpu_threads = threads;
    MakeTrainer();
  }
  course_.first_step = options_.schedule.first_step = state.Get("phase_step").AsInteger();
  WithoutBacktrace([&] {
    trainer_->Adjust(options_);
    trainer_->Load(state.File("model").parent_path());
  });
  if (trainer_->step() != state.Get("step").AsInteger()) {
    throw Error("the checkpoint is of step " + state.Get("step").ToJson() +
                ", its weights are of step " + std::to_string(trainer_->step()));
  }
  ended_epochs_ = state.Get("ended_epochs").AsInteger();
  best_.reset();
  if (!state.Get("best_iou").is_null())
    best_ = Best{state.Get("best_iou").AsNumber(), state.Get("best_epoch").AsInteger()};
  saved_step_ = trainer_->step();
}

}  // namespace flowtrain::train

extern "C" FLOWTRAIN_API flowtrain::Stage* flowtrain_train_make_segmentation(
    const flowtrain::train::SegmentationParams* params) {
  return new flowtrain::train::Segmentation(*params);
}
