// libflowtrain_train_cuda.so: streams and events for the training plugin. Opening it opens
// LibTorch's CUDA half, which makes LibTorch know the GPUs.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <flowtrain/error.h>

#include <map>
#include <mutex>
#include <string>

#include "stages/train/cuda/events.h"
#include "stages/train/cuda/recorder.h"
#include "stages/train/cuda/upload.h"
#include "stages/train/cuda_link.h"

namespace flowtrain::train {
namespace {

class Link final : public CudaLink {
 public:
  void CheckCard(int device) const override {
    cudaDeviceProp card{};
    CheckCuda(cudaGetDeviceProperties(&card, device), "asking for the GPU's properties");
    if (card.major * 10 + card.minor >= 75) return;
    throw Error("\"cuda:" + std::to_string(device) + "\" is a " + card.name +
                " of compute capability " + std::to_string(card.major) + "." +
                std::to_string(card.minor) +
                ", and LibTorch 2.11 for CUDA 13 needs 7.5 or more: use another GPU or \"cpu\"");
  }

  std::unique_ptr<CudaUpload> MakeUpload(const CudaUploadOptions& options,
                                         const std::vector<Tensor>& tensors) override {
    return std::make_unique<StreamUpload>(options, Events(options.device), tensors);
  }

  void WaitInStream(const FencePtr& fence, int device) override {
    const auto* event = dynamic_cast<const EventFence*>(fence.get());
    if (event == nullptr) return fence->Wait();  // somebody else's
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    CheckCuda(cudaStreamWaitEvent(c10::cuda::getCurrentCUDAStream().stream(), event->event(), 0),
              "waiting for a batch on the GPU");
  }

  FencePtr RecordInStream(int device) override {
    return Events(device)->Record(
        c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device)).stream());
  }

  std::unique_ptr<model::Recorder> MakeRecorder(int device) override {
    return std::make_unique<GraphRecorder>(device);
  }

 private:
  std::shared_ptr<EventPool> Events(int device) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<EventPool>& events = events_[device];
    if (events == nullptr) events = std::make_shared<EventPool>(device);
    return events;
  }

  std::mutex mutex_;  // protects events_
  std::map<int, std::shared_ptr<EventPool>> events_;
};

}  // namespace
}  // namespace flowtrain::train

// Never destroyed: at exit the driver may be gone before it.
extern "C" FLOWTRAIN_API flowtrain::train::CudaLink* flowtrain_train_cuda_link() {
  static auto* const link = new flowtrain::train::Link;
  return link;
}
