#include "stages/train/torch/batch_tensors.h"

#include <flowtrain/error.h>

namespace flowtrain::train {
namespace {

at::Tensor View(const Batch& batch, const std::string& name, const Device& device) {
  const Tensor& tensor = batch.tensor(name);
  const int index = device.cuda() ? device.torch.index() : -1;
  const bool number = tensor.dtype == DType::kF32 || tensor.dtype == DType::kBF16;
  if (!number || tensor.shape.size() != 4) {
    throw Error("tensor \"" + name + "\" is " + DTypeName(tensor.dtype) +
                "; allowed: float32 or bfloat16 [B, H, W, C], which train.upload makes: put it "
                "between staging and the trainer");
  }
  if (tensor.cuda_device != index) {
    const std::string where =
        tensor.cuda_device < 0 ? "cpu" : "cuda:" + std::to_string(tensor.cuda_device);
    throw Error("tensor \"" + name + "\" is on " + where + ", the trainer on " + device.name() +
                ": give train.upload and train.segmentation the same device");
  }
  const auto options = at::TensorOptions(device.torch)
                           .dtype(tensor.dtype == DType::kF32 ? at::kFloat : at::kBFloat16);
  return at::from_blob(
      tensor.data, tensor.shape, [batch](void*) {}, options);
}

std::vector<int64_t> Chosen(const BatchContent& content, Rows rows) {
  std::vector<int64_t> chosen;
  for (int row = 0; row < content.rows; ++row) {
    const RowId& id = content.ids.at(row);
    if (!id.bad && !(rows == Rows::kNotPadding && id.padding)) chosen.push_back(row);
  }
  return chosen;
}

bool IsPrefix(const std::vector<int64_t>& rows) {
  return rows.empty() || rows.back() + 1 == static_cast<int64_t>(rows.size());
}

}  // namespace

BatchTensors TensorsOf(const Batch& batch, const Device& device, Rows rows) {
  if (const FencePtr& ready = batch.ready(); ready != nullptr) {
    if (device.cuda()) {
      device.link->WaitInStream(ready, device.torch.index());
    } else {
      ready->Wait();
    }
  }
  const std::vector<int64_t> chosen = Chosen(batch.content(), rows);
  const auto take = [&](const at::Tensor& all) {
    if (IsPrefix(chosen)) return all.narrow(0, 0, static_cast<int64_t>(chosen.size()));
    return all.index_select(0, at::tensor(chosen, at::kLong).to(all.device()));
  };
  BatchTensors tensors;
  tensors.images = take(View(batch, "image", device)).permute({0, 3, 1, 2});
  tensors.masks = take(View(batch, "mask", device)).permute({0, 3, 1, 2});
  return tensors;
}

void ReleaseAfterWork(const Batch& batch, const Device& device) {
  if (device.cuda()) batch.ReleaseAfter(device.link->RecordInStream(device.torch.index()));
}

}  // namespace flowtrain::train
