#include <flowtrain/batch.h>

#include <mutex>

#include <flowtrain/error.h>

namespace flowtrain {

size_t ElementBytes(DType type) {
  switch (type) {
    case DType::kU8: return 1;
    case DType::kF16:
    case DType::kBF16: return 2;
    case DType::kI32:
    case DType::kF32: return 4;
    case DType::kI64: return 8;
  }
  return 0;
}

const char* DTypeName(DType type) {
  switch (type) {
    case DType::kU8: return "uint8";
    case DType::kI32: return "int32";
    case DType::kI64: return "int64";
    case DType::kF16: return "float16";
    case DType::kBF16: return "bfloat16";
    case DType::kF32: return "float32";
  }
  return "?";
}

int64_t Tensor::elements() const {
  int64_t n = 1;
  for (const int64_t side : shape) n *= side;
  return n;
}

struct Batch::State {
  BatchContent content;
  std::mutex mutex;  // protects fences
  std::vector<FencePtr> fences;

  ~State() {
    if (content.on_release) content.on_release(std::move(fences));
  }
};

Batch Batch::Create(BatchContent content) {
  Batch batch;
  batch.state_ = std::make_shared<State>();
  batch.state_->content = std::move(content);
  return batch;
}

const BatchContent& Batch::content() const {
  if (!state_) throw Error("this batch is empty");
  return state_->content;
}

bool Batch::has_tensor(std::string_view name) const {
  for (const Tensor& tensor : content().tensors) {
    if (tensor.name == name) return true;
  }
  return false;
}

const Tensor& Batch::tensor(std::string_view name) const {
  std::string known;
  for (const Tensor& tensor : content().tensors) {
    if (tensor.name == name) return tensor;
    known += (known.empty() ? "" : ", ") + tensor.name;
  }
  throw Error("the batch has no tensor \"" + std::string(name) + "\"; it has " + known);
}

void Batch::ReleaseAfter(FencePtr fence) const {
  if (!state_) throw Error("this batch is empty");
  const std::lock_guard lock(state_->mutex);
  state_->fences.push_back(std::move(fence));
}

DLManagedTensor* Batch::ToDLPack(std::string_view name) const {
  struct Exported {
    Batch batch;
    std::vector<int64_t> shape;
    DLManagedTensor managed;
  };
  const Tensor& tensor = this->tensor(name);
  auto* exported = new Exported{*this, tensor.shape, {}};
  DLTensor& dl = exported->managed.dl_tensor;
  dl.data = tensor.data;
  dl.device = tensor.cuda_device >= 0 ? DLDevice{kDLCUDA, tensor.cuda_device} : DLDevice{kDLCPU, 0};
  dl.ndim = static_cast<int>(exported->shape.size());
  dl.shape = exported->shape.data();
  dl.strides = nullptr;  // dense, row-major
  dl.byte_offset = 0;
  const auto bits = static_cast<uint8_t>(8 * ElementBytes(tensor.dtype));
  uint8_t code = kDLUInt;
  if (tensor.dtype == DType::kI32 || tensor.dtype == DType::kI64) code = kDLInt;
  if (tensor.dtype == DType::kF16 || tensor.dtype == DType::kF32) code = kDLFloat;
  if (tensor.dtype == DType::kBF16) code = kDLBfloat;
  dl.dtype = {code, bits, 1};
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = [](DLManagedTensor* self) { delete static_cast<Exported*>(self->manager_ctx); };
  return &exported->managed;
}

}  // namespace flowtrain
