// A batch: one tensor per name with a row per sample. A copyable handle on shared, const content;
// when the last handle goes and every fence given to ReleaseAfter has passed, its memory returns to
// the pool that issued it. Handles may be copied and dropped on any thread.
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <flowtrain/export.h>
#include <flowtrain/fence.h>

namespace flowtrain {

enum class DType : uint8_t { kU8, kI32, kI64, kF16, kBF16, kF32 };
FLOWTRAIN_API size_t ElementBytes(DType type);
FLOWTRAIN_API const char* DTypeName(DType type);

// A dense, row-major tensor that somebody else owns. Images are [rows, height, width, channels].
struct FLOWTRAIN_API Tensor {
  std::string name;
  DType dtype = DType::kU8;
  std::vector<int64_t> shape;
  void* data = nullptr;
  int cuda_device = -1;  // -1: host memory
  bool pinned = false;   // host memory that is page-locked

  int64_t elements() const;
  size_t bytes() const { return static_cast<size_t>(elements()) * ElementBytes(dtype); }
  template <class T>
  std::span<T> as() const { return {static_cast<T*>(data), bytes() / sizeof(T)}; }
};

// Which sample stands in a row.
struct RowId {
  uint64_t position = 0;  // in the epoch's global order
  uint64_t index = 0;     // in the source
  std::string path;
  bool padding = false;  // repeats a sample to fill the batch: leave it out of metrics
  bool bad = false;      // could not be decoded: leave it out of metrics
};

struct BatchContent {
  uint64_t epoch = 0;
  uint64_t index = 0;              // of the batch in its epoch
  uint64_t batches_per_epoch = 0;
  int rows = 0;                    // filled rows; tensors may have room for more
  std::vector<Tensor> tensors;
  std::vector<RowId> ids;          // one per filled row
  uint64_t hash = 0;               // of tensor bytes and labels, where the run asked for it
  FencePtr ready;                  // what a reader waits on before it reads; null: ready now
  // Keeps alive what the tensors point into; called once with the fences that must pass first.
  std::function<void(std::vector<FencePtr>)> on_release;
};

class FLOWTRAIN_API Batch {
 public:
  Batch() = default;
  static Batch Create(BatchContent content);

  explicit operator bool() const { return state_ != nullptr; }
  const BatchContent& content() const;
  uint64_t epoch() const { return content().epoch; }
  uint64_t index() const { return content().index; }
  bool last_in_epoch() const { return content().index + 1 == content().batches_per_epoch; }
  int rows() const { return content().rows; }
  bool has_tensor(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;  // throws Error, naming those there are
  const FencePtr& ready() const { return content().ready; }

  // The memory may be reused only after `fence` has passed.
  void ReleaseAfter(FencePtr fence) const;
  // A tensor that holds this batch until its deleter is called. Host memory, pinned or not, is
  // exported as kDLCPU, because LibTorch's importer refuses kDLCUDAHost.
  DLManagedTensor* ToDLPack(std::string_view name) const;
  // Drops this handle.
  void Reset() { state_.reset(); }

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace flowtrain
