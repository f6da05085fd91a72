#include "stages/train/cuda/recorder.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include "stages/train/cuda/events.h"

namespace flowtrain::train {
namespace {

class GraphRecording final : public model::Recording {
 public:
  explicit GraphRecording(std::unique_ptr<at::cuda::CUDAGraph> graph) : graph_(std::move(graph)) {}
  void Replay() override { graph_->replay(); }

 private:
  const std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

}  // namespace

GraphRecorder::GraphRecorder(int device)
    : stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false,
                                           static_cast<c10::DeviceIndex>(device))),
      pool_(at::cuda::graph_pool_handle()) {}

void GraphRecorder::ReleaseCache() {
  const c10::cuda::CUDAGuard on_device(stream_.device());
  c10::cuda::CUDACachingAllocator::emptyCache();
}

bool GraphRecorder::HasRoom() {
  const c10::cuda::CUDAGuard on_device(stream_.device());
  size_t free = 0, all = 0;
  CheckCuda(cudaMemGetInfo(&free, &all), "asking for the GPU's free memory");
  return free >= all / 4;  // left for a validation, and for others on the card
}

std::unique_ptr<model::Recording> GraphRecorder::Record(const std::function<void()>& work) {
  const c10::cuda::CUDAStreamGuard on_stream(stream_);  // and on its device
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  // Thread-local: the upload's thread goes on allocating and copying meanwhile.
  graph->capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
  try {
    work();
  } catch (...) {
    try {
      graph->capture_end();
    } catch (...) {  // the recording is lost in any case; the first error says why
    }
    throw;
  }
  graph->capture_end();
  return std::make_unique<GraphRecording>(std::move(graph));
}

}  // namespace flowtrain::train
