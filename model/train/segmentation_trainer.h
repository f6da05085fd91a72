// Trains a segmentation network on batches of device tensors; knows no graph, no files but its own
// checkpoint. Owned by the training stage; all calls on one thread, the trainer's.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/network.h"
#include "model/optim/adamw.h"
#include "model/optim/ema.h"
#include "model/train/device.h"
#include "model/train/recorded_step.h"
#include "model/train/recorder.h"
#include "model/train/segmentation_evaluation.h"
#include "model/train/step_result.h"
#include "model/train/trainer_options.h"

namespace flowtrain::model {

class SegmentationTrainer {
 public:
  // Moves the network to the device and into the memory layout asked for. Throws as CheckOptions,
  // ResolveDevice and ResolvePrecision do, and std::invalid_argument on a null network.
  // make_recorder: where given, steps of a StagedNetwork are recorded once they have settled; what that
  // can't do is done launch by launch.
  SegmentationTrainer(std::shared_ptr<SegmentationNetwork> network, const TrainerOptions& options,
                      MakeRecorder make_recorder = {});

  // Gives the calling thread its intra-op threads; once, before the first step, on the thread that
  // will make all calls (LibTorch keeps the number per thread).
  void BindThread() const;

  // From the next step on: the schedule, weight decay, clipping and loss weights of `options`; all else
  // stays as it is. Throws as CheckOptions does.
  void Adjust(const TrainerOptions& options);

  at::Device device() const { return device_; }
  Precision precision() const { return precision_; }
  int64_t step() const { return step_; }  // optimizer steps made, over all runs
  // Why all of a step or a part is launched kernel by kernel though it was to be recorded; empty: it is not.
  const std::string& recording_fault() const { return recording_fault_; }
  bool records() const { return recorded_ != nullptr; }  // some of it is recorded still
  int64_t recorded_steps() const { return recorded_steps_; }  // of this object's, that replayed recordings
  int64_t parameter_count() const;

  // images: [B, 3, H, W], float32 or bfloat16, normalised; masks: [B, 1, H, W] in [0, 1]; both on
  // device(). One forward, backward, clip and update. The host waits for the device only for
  // what the routers of a StagedNetwork choose.
  StepResult Step(const torch::Tensor& images, const torch::Tensor& masks);

  // The first `rows` images of a batch, in eval mode, into the running evaluation: of the averaged
  // weights where an average is kept. Training does not notice.
  void Evaluate(const torch::Tensor& images, const torch::Tensor& masks, int64_t rows);
  EvalMetrics FinishEvaluation();

  // model.safetensors, optimizer.safetensors and, where an average is kept, ema.safetensors (entries
  // as the first's) in `dir`, which must exist; synced. Throws std::runtime_error that names the
  // file, and one that names the step if the weights are not fit to be kept, because a loss or
  // gradient was not finite.
  void Save(const std::filesystem::path& dir) const;
  // Restores weights, buffers, moments, averages and the step count: on a CPU with the same
  // cpu_threads, training goes on bit for bit as if never interrupted. Throws std::runtime_error
  // that names the file; the trainer must not be used then. So where an average is kept now and was
  // not then: one that begins late is not what the run is said to have.
  void Load(const std::filesystem::path& dir);

 private:
  void CheckBatch(const torch::Tensor& images, const torch::Tensor& masks) const;
  at::Tensor Input(const torch::Tensor& images) const;
  SegmentationOutput Forward(const at::Tensor& input);
  // Forward and backward; loss and usage go into the result.
  void LaunchEach(const at::Tensor& input, const torch::Tensor& masks, StepResult& result);
  // The recorded step for such a batch, recorded now if it is time; null: there is none.
  RecordedStep* Recorded(const at::Tensor& input, const at::Tensor& masks);
  void ForgetGradients();
  void ForwardBackward(const at::Tensor& input, const at::Tensor& masks, StepResult& result);
  // `work`; where the device has no memory left for it, once more with that of the recordings, and none are
  // made from then on.
  void WithMemoryOfRecordings(const std::function<void()>& work);
  torch::Tensor ClipGradients();
  void NoteBadStep(const torch::Tensor& loss, const torch::Tensor& norm);
  void TakeTrainedWeights() const;  // after an evaluation of others

  const std::shared_ptr<SegmentationNetwork> network_;
  TrainerOptions options_;
  const at::Device device_;
  const Precision precision_;
  std::unique_ptr<AdamW> optimizer_;  // made once the parameters are where they stay
  std::unique_ptr<Ema> ema_;          // null: none is kept
  SegmentationEvaluation evaluation_;
  std::unique_ptr<LowPrecisionWeights> low_;  // null: full precision
  MakeRecorder make_recorder_;
  std::unique_ptr<RecordedStep> recorded_;
  std::vector<int64_t> settling_shape_;  // of the last batches that were launched one by one
  int64_t settling_ = 0;                 // how many in a row
  std::string recording_fault_;
  int64_t recorded_steps_ = 0;
  int64_t step_ = 0;
  torch::Tensor first_bad_step_;  // as in StepResult; on the device, so that no step waits for it
};

}  // namespace flowtrain::model
