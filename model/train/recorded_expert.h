// One expert in a recorded step, forward and backward. A number of rows that it has computed twice is
// recorded, so that the host launches a recording where it would launch a hundred kernels; until then, and
// where there is no memory left for recordings, they are launched one by one. Owned by a recorded step, on
// the trainer's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/experts/expert.h"
#include "model/layers/low_precision.h"
#include "model/train/expert_slots.h"
#include "model/train/recorder.h"

namespace flowtrain::model {

class RecordedExpert {
 public:
  // Its rows are those of `number` in `slots`. low: null: full precision.
  RecordedExpert(std::shared_ptr<Expert> expert, const ExpertSlots& slots, size_t number,
                 LowPrecisionWeights* low, MakeRecorder make_recorder);

  // Inputs to outputs. rows: how many are its own this step; 0: none.
  void Forward(int64_t rows);
  // Output gradients to input gradients and the parameters' gradients, of the rows of Forward.
  void Backward();
  // Behind all that reads its slots in a step: records this step's number of rows, if it is time to. Takes
  // the host some milliseconds, in which the device goes on with the step; returns whether it did.
  bool Record();

  // Its trained parameters, and their gradients as Backward leaves them: in the same memory every step,
  // zeros where the expert had no rows.
  const std::vector<std::pair<at::Tensor, at::Tensor>>& gradients() const { return gradients_; }
  // Why nothing is recorded any more; empty: something can be, or too little memory was free to try.
  const std::string& fault() const { return fault_; }

 private:
  struct Size {
    int computed = 0;  // how often, launched
    std::unique_ptr<Recording> forward, backward;  // null: not recorded
  };

  void Compute(int64_t rows);
  void ComputeBackward(int64_t rows);
  void TakeGradients();
  void ClearGradients();
  void DropGradients();
  void WarmUp(int64_t rows);
  void RecordRows(int64_t rows);
  void StopRecording(std::string fault);

  const std::shared_ptr<Expert> expert_;
  const ExpertSlots& slots_;
  const size_t number_;
  LowPrecisionWeights* const low_;
  MakeRecorder make_recorder_;  // empty: nothing is recorded any more
  std::unique_ptr<Recorder> recorder_;
  std::map<int64_t, Size> sizes_;  // by rows
  int64_t rows_ = 0;               // of this step
  at::Tensor input_, output_;      // between Compute and ComputeBackward, with their gradients' graph
  std::vector<std::pair<at::Tensor, at::Tensor>> gradients_;
  std::string fault_;
};

}  // namespace flowtrain::model
