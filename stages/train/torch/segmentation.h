// train.segmentation: pulls batches, steps the trainer, validates after epochs, keeps checkpoints.
// Run is on the stage's thread, all else on the main one, never at the same time.
#pragma once

#include <flowtrain/stage.h>

#include <memory>
#include <optional>
#include <string>

#include "model/train/segmentation_trainer.h"
#include "stages/train/segmentation_params.h"
#include "stages/train/torch/course.h"
#include "stages/train/torch/device.h"
#include "stages/train/torch/throughput.h"
#include "stages/train/torch/training_report.h"

namespace flowtrain::train {

class Segmentation final : public Consumer {
 public:
  explicit Segmentation(const SegmentationParams& params) : params_(params) {}
  void Open(OpenContext& context) override;
  void Run(RunContext& context) override;
  void Save(State& state) const override;
  void Load(const State& state) override;
  void EnterPhase(const Consumer& planned, OpenContext& context) override;

 private:
  struct Best {
    double iou = 0;
    int64_t epoch = 0;
  };

  // The course and the trainer's options, from the parameters and the phase. Refuses what doesn't fit.
  void Plan(OpenContext& context);
  void MakeTrainer();
  void Introduce(RunContext& context) const;
  // Each returns false when the run stops.
  bool Train(RunContext& context, TrainingReport& report);
  bool Step(RunContext& context, TrainingReport& report);
  void TellOfRecording(RunContext& context);
  bool EndEpoch(RunContext& context, TrainingReport& report);
  std::optional<model::EvalMetrics> Validate(RunContext& context, TrainingReport& report,
                                             int64_t epoch);
  void MeasureResident(RunContext& context);
  void WaitForDevice() const;

  SegmentationParams params_;
  Device device_;
  model::TrainerOptions options_;
  std::shared_ptr<model::SegmentationNetwork> network_;
  std::unique_ptr<model::SegmentationTrainer> trainer_;
  Course course_;

  int64_t ended_epochs_ = 0;  // validated where that is due, and kept
  std::optional<Best> best_;
  mutable int64_t saved_step_ = -1;
  std::string told_fault_;  // of recordings, that was warned of last

  // Only where resident_steps asks for the measurement.
  int64_t fed_from_ = -1;  // the step at which `fed_` begins; -1: not measured
  Throughput fed_;
  Batch resident_;
  bool measured_ = false;  // the network is no longer the one that was trained
};

}  // namespace flowtrain::train
