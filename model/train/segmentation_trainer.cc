#include "model/train/segmentation_trainer.h"

#include <ATen/Parallel.h>

#include <sstream>
#include <stdexcept>

#include "model/layers/layout.h"
#include "model/loss/camoxpert_loss.h"
#include "model/optim/clip.h"
#include "model/state_dict.h"
#include "model/train/forward_scope.h"
#include "model/train/step_random.h"

namespace flowtrain::model {
namespace {

TrainerOptions Checked(const TrainerOptions& options) {
  CheckOptions(options);
  return options;
}

}  // namespace

SegmentationTrainer::SegmentationTrainer(std::shared_ptr<SegmentationNetwork> network,
                                         const TrainerOptions& options, MakeRecorder make_recorder)
    : network_(std::move(network)),
      options_(Checked(options)),
      device_(ResolveDevice(options_.device)),
      precision_(ResolvePrecision(options_.precision, device_)),
      make_recorder_(std::move(make_recorder)) {
  if (network_ == nullptr) throw std::invalid_argument("segmentation trainer: no network");
  const torch::NoGradGuard no_grad;
  network_->to(device_);
  if (options_.channels_last) ToChannelsLast(*network_);
  if (precision_ == Precision::kBf16) low_ = std::make_unique<LowPrecisionWeights>(*network_, at::kBFloat16);
  AdamWGroup group{"all", 0, options_.weight_decay, {}};
  for (const auto& item : network_->named_parameters()) {
    group.parameters.emplace_back(item.key(), item.value());
  }
  optimizer_ = std::make_unique<AdamW>(std::vector<AdamWGroup>{std::move(group)}, AdamWOptions{});
  if (options_.ema_decay > 0)
    ema_ = std::make_unique<Ema>(StateDict(*network_), options_.ema_decay);
  first_bad_step_ = torch::zeros({}, torch::dtype(torch::kLong).device(device_));
}

void SegmentationTrainer::Adjust(const TrainerOptions& options) {
  CheckOptions(options);
  options_.schedule = options.schedule;
  options_.weight_decay = options.weight_decay;
  options_.clip = options.clip;
  options_.loss = options.loss;
  for (AdamWGroup& group : optimizer_->groups()) group.weight_decay = options.weight_decay;
  recorded_.reset();  // the loss's weights are part of a recording
}

void SegmentationTrainer::BindThread() const { at::set_num_threads(options_.cpu_threads); }

int64_t SegmentationTrainer::parameter_count() const {
  int64_t count = 0;
  for (const torch::Tensor& parameter : network_->parameters()) count += parameter.numel();
  return count;
}

void SegmentationTrainer::CheckBatch(const torch::Tensor& images, const torch::Tensor& masks) const {
  const bool fits = images.dim() == 4 && images.size(1) == 3 && masks.dim() == 4 &&
                    masks.size(1) == 1 && images.size(0) == masks.size(0) && images.size(0) > 0 &&
                    images.size(2) == masks.size(2) && images.size(3) == masks.size(3) &&
                    images.is_floating_point() && images.device() == device_ &&
                    masks.device() == device_;
  if (fits) return;
  std::ostringstream message;
  message << "segmentation trainer: images " << images.sizes() << " " << images.scalar_type() << " on "
          << images.device() << ", masks " << masks.sizes() << " on " << masks.device()
          << "; allowed: floating-point images [B, 3, H, W] and masks [B, 1, H, W], B >= 1, on "
          << device_;
  throw std::invalid_argument(message.str());
}

at::Tensor SegmentationTrainer::Input(const torch::Tensor& images) const {
  const at::Tensor input = precision_ == Precision::kBf16 ? images : images.to(torch::kFloat);
  return options_.channels_last ? input.contiguous(at::MemoryFormat::ChannelsLast) : input;
}

SegmentationOutput SegmentationTrainer::Forward(const at::Tensor& input) {
  if (low_) low_->Refresh();
  const ForwardScope scope(device_, low_.get());
  return network_->Forward(input);
}

void SegmentationTrainer::LaunchEach(const at::Tensor& input, const torch::Tensor& masks,
                                     StepResult& result) {
  const SegmentationOutput output = Forward(input);
  result.loss = CamoXpertLoss(output, masks, options_.loss);
  result.loss.total.backward();
  if (low_) low_->ReturnGradients();
  result.loss.total = result.loss.total.detach();
  for (const Routing& routing : output.routing) result.usage.push_back(routing.usage.detach());
}

RecordedStep* SegmentationTrainer::Recorded(const at::Tensor& input, const at::Tensor& masks) {
  constexpr int64_t kSettled = 3;  // steps after which libraries have made their plans and handles
  auto* const staged = dynamic_cast<StagedNetwork*>(network_.get());
  if (!make_recorder_ || staged == nullptr || !staged->recordable()) return nullptr;
  if (recorded_ && recorded_->Fits(input, masks)) {
    settling_ = 0;
    return recorded_.get();
  }
  if (input.sizes() != at::IntArrayRef(settling_shape_)) {
    settling_shape_ = input.sizes().vec();
    settling_ = 0;
  }
  // An odd batch now and then, as the last of an epoch, costs no recording.
  if (settling_++ < kSettled) return nullptr;
  recorded_.reset();  // its memory first
  try {
    recorded_ = std::make_unique<RecordedStep>(*staged, options_.loss, low_.get(), make_recorder_,
                                               input, masks);
    return recorded_.get();
  } catch (const c10::Error& error) {
    recording_fault_ = error.what_without_backtrace();
  } catch (const std::exception& error) {
    recording_fault_ = error.what();
  }
  make_recorder_ = {};
  ForgetGradients();
  return nullptr;
}

// Of what was begun, or recorded and never computed, nothing may be built on.
void SegmentationTrainer::ForgetGradients() {
  network_->zero_grad();
  if (low_) low_->DropGradients();
}

void SegmentationTrainer::ForwardBackward(const at::Tensor& input, const at::Tensor& masks,
                                          StepResult& result) {
  SeedStep(device_, options_.seed, step_);
  network_->zero_grad();
  if (RecordedStep* recorded = Recorded(input, masks)) {
    auto done = recorded->Run(input, masks);
    result.loss = std::move(done.loss);
    result.usage = std::move(done.usage);
    recording_fault_ = recorded->fault();
    ++recorded_steps_;
  } else {
    LaunchEach(input, masks, result);
  }
}

void SegmentationTrainer::WithMemoryOfRecordings(const std::function<void()>& work) {
  try {
    work();
    return;
  } catch (const c10::OutOfMemoryError& error) {
    if (!recorded_) throw;
    recording_fault_ = error.what_without_backtrace();
  }
  recorded_.reset();
  make_recorder_()->ReleaseCache();
  make_recorder_ = {};
  ForgetGradients();
  work();
}

torch::Tensor SegmentationTrainer::ClipGradients() {
  std::vector<torch::Tensor> gradients;
  for (const auto& [name, parameter] : optimizer_->groups().front().parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  if (gradients.empty()) throw std::runtime_error("segmentation trainer: no parameter has a gradient");
  return ClipGlobalNorm(gradients, options_.clip);
}

void SegmentationTrainer::NoteBadStep(const torch::Tensor& loss, const torch::Tensor& norm) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor keep =
      at::logical_and(at::isfinite(loss), at::isfinite(norm)).logical_or(first_bad_step_ > 0);
  first_bad_step_ = at::where(keep, first_bad_step_, at::full_like(first_bad_step_, step_));
}

void SegmentationTrainer::TakeTrainedWeights() const {
  if (ema_) ema_->TakeOutOfNetwork();
}

StepResult SegmentationTrainer::Step(const torch::Tensor& images, const torch::Tensor& masks) {
  CheckBatch(images, masks);
  TakeTrainedWeights();
  if (!network_->is_training()) network_->train(true);
  const at::Tensor input = Input(images);
  StepResult result;
  WithMemoryOfRecordings([&] { ForwardBackward(input, masks, result); });
  result.lr = LearningRate(options_.schedule, step_);
  result.gradient_norm = ClipGradients();
  optimizer_->groups().front().lr = result.lr;
  optimizer_->Step();

  result.step = ++step_;
  if (ema_) ema_->Update(step_);
  NoteBadStep(result.loss.total, result.gradient_norm);
  result.first_bad_step = first_bad_step_;
  return result;
}

void SegmentationTrainer::Evaluate(const torch::Tensor& images, const torch::Tensor& masks,
                                   int64_t rows) {
  CheckBatch(images, masks);
  if (rows < 0 || rows > images.size(0)) {
    throw std::invalid_argument("segmentation trainer: " + std::to_string(rows) + " rows of a batch of " +
                                std::to_string(images.size(0)));
  }
  if (rows == 0) return;
  const torch::NoGradGuard no_grad;
  if (network_->is_training()) network_->train(false);
  if (ema_) ema_->PutIntoNetwork();
  WithMemoryOfRecordings([&] {
    const SegmentationOutput output = Forward(Input(images.narrow(0, 0, rows)));
    evaluation_.Add(output.logits, masks.narrow(0, 0, rows));
  });
}

EvalMetrics SegmentationTrainer::FinishEvaluation() {
  TakeTrainedWeights();
  return evaluation_.Finish();
}

}  // namespace flowtrain::model
