// The run of train.segmentation: epochs of steps, each followed by a validation and a checkpoint.
#include "stages/train/torch/segmentation.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "stages/train/torch/batch_tensors.h"
#include "stages/train/torch/without_backtrace.h"

namespace flowtrain::train {
namespace {

std::string Fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string EpochTag(int64_t epoch) {
  char tag[32];
  std::snprintf(tag, sizeof tag, "epoch-%04lld", static_cast<long long>(epoch));
  return tag;
}

}  // namespace

void Segmentation::Run(RunContext& context) {
  WithoutBacktrace([&] {
    trainer_->BindThread();
    Introduce(context);
    if (params_.resident_steps > 0)
      fed_from_ = std::max(trainer_->step(), course_.last_step() - params_.resident_steps);
    // What another network calls its experts isn't known.
    const bool named = params_.model.network == kCamoXpert;
    TrainingReport report(context, {named ? params_.model.experts : std::vector<std::string>(),
                                    course_, params_.log_every});
    const bool through = Train(context, report);
    if (best_)
      context.Summary("best IoU", Fixed(best_->iou, 4) + " (epoch " + std::to_string(best_->epoch) +
                                      (params_.ema > 0 ? ", averaged weights)" : ")"));
    if (through && resident_) MeasureResident(context);
    resident_.Reset();
  });
}

bool Segmentation::Train(RunContext& context, TrainingReport& report) {
  for (;;) {
    if (course_.EpochsThrough(trainer_->step()) > ended_epochs_) {
      if (!EndEpoch(context, report)) return false;
    } else if (trainer_->step() >= course_.last_step()) {
      report.Check();
      return true;
    } else if (!Step(context, report)) {
      return false;
    }
  }
}

bool Segmentation::Step(RunContext& context, TrainingReport& report) {
  report.Resume();
  const Batch batch = context.Pull("train");
  if (!batch) return false;
  if (trainer_->step() == fed_from_) {
    WaitForDevice();
    fed_.Begin();
  }
  const auto began = std::chrono::steady_clock::now();
  const BatchTensors tensors = TensorsOf(batch, device_, Rows::kAllGood);
  if (tensors.rows() == 0) {
    throw Error("batch " + std::to_string(batch.index()) + " of epoch " +
                std::to_string(batch.epoch() + 1) +
                " has no sample that could be decoded: set the source's on_bad to \"replace\"");
  }
  const model::StepResult result = trainer_->Step(tensors.images, tensors.masks);
  TellOfRecording(context);
  ReleaseAfterWork(batch, device_);
  context.Commit(batch, "train");
  fed_.Add(tensors.rows());
  if (fed_from_ >= 0 && trainer_->step() == course_.last_step()) resident_ = batch;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  report.Step(result, tensors.rows(), took.count());
  return true;
}

void Segmentation::TellOfRecording(RunContext& context) {
  const std::string& fault = trainer_->recording_fault();
  if (fault.empty() || fault == told_fault_) return;
  told_fault_ = fault;
  context.Warn(std::string(trainer_->records() ? "some experts" : "steps") +
               " are launched kernel by kernel, which is slower: they can't be recorded as CUDA graphs: " + fault);
}

bool Segmentation::EndEpoch(RunContext& context, TrainingReport& report) {
  const int64_t epoch = ended_epochs_ + 1;
  const bool measuring = fed_.running();
  if (measuring) {
    WaitForDevice();
    fed_.End();
  }
  report.Check();
  report.Pause();
  report.EpochEnded(epoch);
  double metric = std::nan("");
  if (context.input("val").connected &&
      (epoch % params_.validate_every == 0 || epoch == course_.last_epoch())) {
    const std::optional<model::EvalMetrics> metrics = Validate(context, report, epoch);
    if (!metrics) return false;
    if (metrics->images > 0) metric = metrics->iou;
    const bool best = metrics->images > 0 && (!best_ || metrics->iou > best_->iou);
    if (best) best_ = Best{metrics->iou, epoch};
    report.Validated(epoch, *metrics, best);
  }
  ended_epochs_ = epoch;
  context.Checkpoint(EpochTag(epoch), metric);
  if (measuring && trainer_->step() < course_.last_step()) fed_.Begin();
  return true;
}

// Nothing is committed before the last batch: an interrupted validation starts again.
std::optional<model::EvalMetrics> Segmentation::Validate(RunContext& context,
                                                         TrainingReport& report, int64_t epoch) {
  for (;;) {
    const Batch batch = context.Pull("val");
    if (!batch) {
      trainer_->FinishEvaluation();
      return std::nullopt;
    }
    const BatchTensors tensors = TensorsOf(batch, device_, Rows::kNotPadding);
    if (tensors.rows() > 0) trainer_->Evaluate(tensors.images, tensors.masks, tensors.rows());
    ReleaseAfterWork(batch, device_);
    report.Validating(epoch, batch.index() + 1, batch.content().batches_per_epoch);
    if (!batch.last_in_epoch()) continue;
    const model::EvalMetrics metrics = trainer_->FinishEvaluation();
    context.Commit(batch, "val");
    if (metrics.images == 0)
      context.Warn("epoch " + std::to_string(epoch) +
                   ": no sample of the validation could be decoded");
    return metrics;
  }
}

void Segmentation::MeasureResident(RunContext& context) {
  WaitForDevice();
  fed_.End();
  // The engine's own last checkpoint comes after Run, when it is too late.
  if (saved_step_ != trainer_->step()) context.Checkpoint("last", std::nan(""));
  measured_ = true;
  const BatchTensors tensors = TensorsOf(resident_, device_, Rows::kAllGood);
  Throughput resident;
  resident.Begin();
  for (int64_t step = 0; step < params_.resident_steps && !context.stopping(); ++step) {
    trainer_->Step(tensors.images, tensors.masks);
    resident.Add(tensors.rows());
  }
  WaitForDevice();
  resident.End();
  ReleaseAfterWork(resident_, device_);
  context.Summary("fed images/s", Fixed(fed_.images_per_s(), 1));
  context.Summary("resident images/s", Fixed(resident.images_per_s(), 1));
  Value record{Value::Object{}};
  record.Set("kind", "measurement");
  record.Set("fed_images_per_s", fed_.images_per_s());
  record.Set("resident_images_per_s", resident.images_per_s());
  context.Record(std::move(record));
}

// A copy to the host comes after all that was launched before.
void Segmentation::WaitForDevice() const {
  if (device_.cuda()) torch::zeros({1}, device_.torch).cpu();
}

}  // namespace flowtrain::train
