// Records what is launched on a device, to launch it again with one call (CUDA graphs). Implemented
// where CUDA is, by libflowtrain_train_cuda.so; free of it, and of LibTorch. On the trainer's thread.
#pragma once

#include <functional>
#include <memory>

namespace flowtrain::model {

class Recording {
 public:
  virtual ~Recording() = default;
  virtual void Replay() = 0;  // on the current stream; the host does not wait
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  // Gives back the device's memory that launched steps took and LibTorch keeps for more of them: while it
  // records it gives none back.
  virtual void ReleaseCache() = 0;
  // Whether so much of the device's memory is free that recordings should take more of it.
  virtual bool HasRoom() = 0;
  // Calls `work`. Its launches are recorded, not done; it must not wait for the device, and what it
  // draws at random is drawn anew by each replay. Memory that it takes belongs to the recorder's
  // recordings for as long as one of them lives, and what it gives back a later recording may take: they are
  // to be replayed in the order they were made, some left out or not.
  virtual std::unique_ptr<Recording> Record(const std::function<void()>& work) = 0;
};

using MakeRecorder = std::function<std::unique_ptr<Recorder>()>;

}  // namespace flowtrain::model
