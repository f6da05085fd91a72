#include "stages/train/torch/training_report.h"

#include <cstdio>
#include <numeric>

namespace flowtrain::train {
namespace {

constexpr double kStarving = 0.01;  // of a layer's routes, over an epoch

}  // namespace

TrainingReport::TrainingReport(RunContext& context, ReportSettings settings)
    : context_(context),
      settings_(std::move(settings)),
      step_seconds_(
          context.metrics().histogram("trainer_step_seconds", "Host time of a training step.", {})),
      samples_(context.metrics().counter("samples_total", "Samples trained on.", {})),
      epoch_(context.metrics().gauge("epoch", "Epochs that are through.", {})),
      lr_(context.metrics().gauge("learning_rate", "Of the last step logged.", {{"group", "all"}})),
      gradient_norm_(context.metrics().gauge("gradient_norm",
                                             "Before clipping, of the last step logged.", {})) {}

void TrainingReport::Step(const model::StepResult& result, int64_t images, double seconds) {
  step_seconds_.Observe(seconds);
  samples_.Add(static_cast<double>(images));
  throughput_.Add(images);
  if (!result.usage.empty()) {
    layers_.clear();
    for (const at::Tensor& layer : result.usage) layers_.push_back(static_cast<size_t>(layer.numel()));
    const at::Tensor usage = at::cat(result.usage);
    usage_ = usage_.defined() ? usage_ + usage : usage;
  }
  last_ = result;
  if (result.step % settings_.log_every == 0) Log(result);
  Progress(result.step);
}

void TrainingReport::Log(const model::StepResult& result) {
  const model::StepSummary summary = model::Summarise(result);
  last_ = {};
  loss_ = summary.loss;
  has_loss_ = true;
  lr_.Set(summary.lr);
  gradient_norm_.Set(summary.gradient_norm);
  Value record{Value::Object{}};
  record.Set("kind", "train");
  record.Set("epoch", settings_.course.EpochOf(result.step));
  record.Set("step", summary.step);
  record.Set("loss", summary.loss);
  context_.metrics()
      .gauge("loss", "Of the last step logged; parts are before their weights.",
             {{"part", "total"}})
      .Set(summary.loss);
  const std::pair<const char*, double> parts[] = {{"bce", summary.bce},
                                                  {"iou", summary.iou},
                                                  {"edge", summary.edge},
                                                  {"deep", summary.deep},
                                                  {"auxiliary", summary.auxiliary}};
  for (const auto& [part, loss] : parts) {
    record.Set(part, loss);
    context_.metrics()
        .gauge("loss", "Of the last step logged; parts are before their weights.", {{"part", part}})
        .Set(loss);
  }
  record.Set("lr", summary.lr);
  record.Set("gradient_norm", summary.gradient_norm);
  record.Set("images_per_s", throughput_.images_per_s());
  context_.Record(std::move(record));
  ReadUsage();
  throughput_ = {};
  throughput_.Begin();
}

void TrainingReport::Check() {
  if (last_.step > 0) Log(last_);
}

void TrainingReport::ReadUsage() {
  if (!usage_.defined()) return;
  const at::Tensor host = usage_.to(at::kDouble).cpu();
  usage_.reset();
  const double* of_layer = host.const_data_ptr<double>();
  epoch_usage_.resize(static_cast<size_t>(host.numel()));
  double* of_epoch = epoch_usage_.data();
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    const size_t experts = layers_[layer];
    const double all = std::accumulate(of_layer, of_layer + experts, 0.0);
    for (size_t expert = 0; expert < experts; ++expert) {
      of_epoch[expert] += of_layer[expert];
      context_.metrics()
          .gauge("expert_usage_ratio",
                 "An expert's share of the images its layer has routed since the log before.",
                 {{"layer", std::to_string(layer + 1)}, {"expert", Expert(expert)}})
          .Set(all > 0 ? of_layer[expert] / all : 0);
    }
    of_layer += experts;
    of_epoch += experts;
  }
}

std::string TrainingReport::Expert(size_t number) const {
  return number < settings_.experts.size() ? settings_.experts[number] : std::to_string(number + 1);
}

void TrainingReport::EpochEnded(int64_t epoch) {
  epoch_.Set(static_cast<double>(epoch));
  std::string starving;
  const double* of_layer = epoch_usage_.data();
  for (size_t layer = 0; layer < layers_.size() && !epoch_usage_.empty(); ++layer) {
    const size_t experts = layers_[layer];
    const double all = std::accumulate(of_layer, of_layer + experts, 0.0);
    for (size_t expert = 0; expert < experts; ++expert) {
      if (of_layer[expert] >= kStarving * all) continue;
      starving += (starving.empty() ? "" : ", ") + Expert(expert) + " in layer " +
                  std::to_string(layer + 1);
    }
    of_layer += experts;
  }
  epoch_usage_.clear();
  if (!starving.empty()) {
    context_.Info("epoch " + std::to_string(epoch) +
                  ": experts that got less than 1% of their layer's images: " + starving);
  }
}

void TrainingReport::Progress(int64_t step) {
  ProgressReport report;
  report.epochs = static_cast<uint64_t>(settings_.course.last_epoch());
  report.epoch = static_cast<uint64_t>(settings_.course.EpochOf(step));
  report.steps = static_cast<uint64_t>(settings_.course.steps_per_epoch);
  report.step = static_cast<uint64_t>(settings_.course.StepInEpoch(step));
  report.total_steps = static_cast<uint64_t>(settings_.course.last_step());
  report.done_steps = static_cast<uint64_t>(step);
  done_steps_ = step;
  report.has_loss = has_loss_;
  if (has_loss_) report.loss = loss_;
  context_.Progress(report);
}

void TrainingReport::Validating(int64_t epoch, uint64_t batch, uint64_t batches) {
  ProgressReport report;
  report.phase = "val";
  report.epoch = static_cast<uint64_t>(epoch);
  report.epochs = static_cast<uint64_t>(settings_.course.last_epoch());
  report.step = batch;
  report.steps = batches;
  report.total_steps = static_cast<uint64_t>(settings_.course.last_step());
  report.done_steps = static_cast<uint64_t>(done_steps_);
  context_.Progress(report);
}

void TrainingReport::Validated(int64_t epoch, const model::EvalMetrics& metrics, bool best) {
  char line[96];
  std::snprintf(line, sizeof line, "epoch %lld: IoU %.4f, MAE %.4f%s", static_cast<long long>(epoch),
                metrics.iou, metrics.mae, best ? ", the best so far" : "");
  if (metrics.images > 0) context_.Info(line);
  Value record{Value::Object{}};
  record.Set("kind", "val");
  record.Set("epoch", epoch);
  record.Set("mae", metrics.mae);
  record.Set("iou", metrics.iou);
  record.Set("images", metrics.images);
  context_.Record(std::move(record));
  const char* help = "Of the last validation.";
  context_.metrics().gauge("metric", help, {{"name", "mae"}}).Set(metrics.mae);
  context_.metrics().gauge("metric", help, {{"name", "iou"}}).Set(metrics.iou);
}

}  // namespace flowtrain::train
