#include "stages/monitor/preview.h"

#include <cstdio>
#include <string>

#include "stages/monitor/contact_sheet.h"
#include "stages/monitor/png_writer.h"

namespace flowtrain::monitor {
namespace {

constexpr char kInput[] = "in";

// Why these tensors can't be shown; empty: they can.
std::string Fault(const Tensor& tensor, int64_t channels) {
  const std::string what = "tensor \"" + tensor.name + "\" ";
  if (tensor.cuda_device >= 0)
    return what + "is on a GPU: connect the preview to the staging stage, before the upload";
  if (tensor.dtype != DType::kU8)
    return what + "is " + DTypeName(tensor.dtype) +
           ", uint8 is needed: connect the preview to the staging stage";
  if (tensor.shape.size() == 4 && tensor.shape[3] == channels) return {};
  std::string shape;
  for (const int64_t side : tensor.shape)
    shape += (shape.empty() ? "" : " x ") + std::to_string(side);
  return what + "has the shape " + shape + ", rows x height x width x " + std::to_string(channels) +
         " is needed";
}

std::string FaultOfAll(const std::vector<Tensor>& tensors) {
  const Tensor* image = nullptr;
  const Tensor* mask = nullptr;
  for (const Tensor& tensor : tensors) {
    if (tensor.name == "image") image = &tensor;
    if (tensor.name == "mask") mask = &tensor;
  }
  if (image == nullptr) return "there is no tensor \"image\"";
  if (std::string fault = Fault(*image, 3); !fault.empty() || mask == nullptr) return fault;
  if (std::string fault = Fault(*mask, 1); !fault.empty()) return fault;
  if (image->shape[1] != mask->shape[1] || image->shape[2] != mask->shape[2])
    return "image and mask differ in size";
  return {};
}

std::filesystem::path FileFor(const Batch& batch, const std::filesystem::path& folder) {
  char name[64];
  std::snprintf(name, sizeof name, "epoch-%04llu-batch-%05llu.png",
                static_cast<unsigned long long>(batch.epoch()),
                static_cast<unsigned long long>(batch.index()));
  return folder / name;
}

// Empty: the picture is written, else why not. A full disk must not end a training that could go on.
std::string Show(const Batch& batch, const Preview::Params& params, RunContext& context) {
  if (const std::string fault = FaultOfAll(batch.content().tensors); !fault.empty())
    throw Error("input \"in\": " + fault);
  if (batch.ready()) batch.ready()->Wait();
  const Tensor* mask = batch.has_tensor("mask") ? &batch.tensor("mask") : nullptr;
  const ContactSheet sheet =
      MakeContactSheet(batch.tensor("image"), mask, batch.rows(), params.columns, params.rows);
  const std::filesystem::path folder = context.run_dir() / "preview";
  try {
    std::filesystem::create_directories(folder);
    WritePng(FileFor(batch, folder), sheet.height, sheet.width, sheet.rgb);
    return {};
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

void Preview::Declare(Declaration<Params>& d) {
  d.Type("monitor.preview",
         "Writes pictures of augmented samples, with their masks' outlines, to the run folder's "
         "preview/.");
  d.Param("every", &Params::every, "A picture of the first batch and then every so many batches")
      .Min(1)
      .Unit("batches")
      .Affects(Effect::kRuntime);
  d.Param("columns", &Params::columns, "Samples side by side")
      .Range(1, 64)
      .Affects(Effect::kRuntime);
  d.Param("rows", &Params::rows, "Rows of samples, at most").Range(1, 64).Affects(Effect::kRuntime);
  d.Input(kInput, {"image"});
  d.Observer();
}

void Preview::Open(OpenContext& context) {
  const InputInfo& input = context.input(kInput);
  if (const std::string fault = FaultOfAll(input.tensors); !fault.empty())
    throw Error("input \"in\": " + fault);
}

void Preview::Run(RunContext& context) {
  // An observer may miss batches: a picture is due from this one on.
  uint64_t due = 0;
  bool warned = false;
  while (const Batch batch = context.Pull(kInput)) {
    const uint64_t position = batch.epoch() * batch.content().batches_per_epoch + batch.index();
    if (position < due || batch.rows() == 0) continue;
    const std::string fault = Show(batch, params_, context);
    if (!fault.empty() && !warned) context.Warn("no preview: " + fault + " (later pictures are tried; said once)");
    warned = warned || !fault.empty();
    due = position + static_cast<uint64_t>(params_.every);
  }
}

}  // namespace flowtrain::monitor
