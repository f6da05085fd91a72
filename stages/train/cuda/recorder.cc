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

// A capture that a failure has spoilt can't be ended by LibTorch 2.11: it throws before it tells its allocator,
// which would go on as if one were under way.
void GraphRecorder::Abandon(at::cuda::CUDAGraph& graph) const {
  try {
    graph.capture_end();
  } catch (...) {
    try {
      c10::cuda::CUDACachingAllocator::endAllocateToPool(stream_.device_index(), pool_);
    } catch (...) {  // it was told after all
    }
  }
}

std::unique_ptr<model::Recording> GraphRecorder::Record(const std::function<void()>& work) {
  const c10::cuda::CUDAStreamGuard on_stream(stream_);  // and on its device
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  // Thread-local: the upload's thread goes on allocating and copying meanwhile.
  graph->capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
  try {
    work();
  } catch (...) {
    Abandon(*graph);
    throw;  // the first error says why
  }
  graph->capture_end();
  return std::make_unique<GraphRecording>(std::move(graph));
}

}  // namespace flowtrain::train
