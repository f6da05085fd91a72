// What the trainer tells: metrics, records, the progress line, starving experts. Waits for the
// device only where the loss is due to be logged. Owned by one Run, on its thread.
#pragma once

#include <flowtrain/context.h>

#include <string>
#include <vector>

#include "model/train/step_result.h"
#include "model/train/summary.h"
#include "stages/train/torch/course.h"
#include "stages/train/torch/throughput.h"

namespace flowtrain::train {

struct ReportSettings {
  std::vector<std::string> experts;  // those without a name are numbered, from 1
  Course course;
  int64_t log_every = 1;
};

class TrainingReport {
 public:
  TrainingReport(RunContext& context, ReportSettings settings);

  // After each step. Throws std::runtime_error naming the first step whose loss or gradient was not
  // finite, at the next step that is logged.
  void Step(const model::StepResult& result, int64_t images, double seconds);
  // At an epoch's end: logs its last step unless that was done, and throws as Step does.
  void Check();
  // Before each step's batch is pulled: from here on time counts as training...
  void Resume() {
    if (!throughput_.running()) throughput_.Begin();
  }
  // ...until the trainer does something else.
  void Pause() { throughput_.End(); }
  // After Check, when epoch number `epoch` (from 1) is through.
  void EpochEnded(int64_t epoch);
  void Validating(int64_t epoch, uint64_t batch, uint64_t batches);
  // `best`: better than every one before.
  void Validated(int64_t epoch, const model::EvalMetrics& metrics, bool best);

 private:
  void Log(const model::StepResult& result);
  void ReadUsage();
  std::string Expert(size_t number) const;  // from 0
  void Progress(int64_t step);

  RunContext& context_;
  const ReportSettings settings_;
  Histogram& step_seconds_;
  Counter& samples_;
  Gauge& epoch_;
  Gauge& lr_;
  Gauge& gradient_norm_;
  Throughput throughput_;   // since the last log
  model::StepResult last_;  // not logged yet; step 0: none
  at::Tensor usage_;        // images routed to each expert of each layer since the last log
  std::vector<size_t> layers_;       // how many experts each has
  std::vector<double> epoch_usage_;  // the same of this epoch, on the host
  int64_t done_steps_ = 0;
  double loss_ = 0;
  bool has_loss_ = false;
};

}  // namespace flowtrain::train
