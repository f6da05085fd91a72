// Saving and loading of SegmentationTrainer.
#include <charconv>
#include <stdexcept>

#include "model/io/load_weights.h"
#include "model/io/safetensors.h"
#include "model/state_dict.h"
#include "model/train/segmentation_trainer.h"

namespace flowtrain::model {
namespace {

constexpr char kOptimizerFile[] = "optimizer.safetensors";
constexpr char kStepKey[] = "step";

int64_t ParseStep(const std::filesystem::path& path, const Metadata& metadata) {
  const auto found = metadata.find(kStepKey);
  int64_t step = -1;
  if (found != metadata.end()) {
    const char* end = found->second.data() + found->second.size();
    const auto parsed = std::from_chars(found->second.data(), end, step);
    if (parsed.ec != std::errc() || parsed.ptr != end) step = -1;
  }
  if (step < 0) throw std::runtime_error(path.string() + ": no step count >= 0 in its metadata");
  return step;
}

void CheckStep(const std::filesystem::path& dir, const char* file, const Metadata& metadata,
               int64_t step) {
  const int64_t other = ParseStep(dir / file, metadata);
  if (other == step) return;
  throw std::runtime_error(dir.string() + ": " + kModelFile + " is of step " +
                           std::to_string(step) + ", " + file + " of step " +
                           std::to_string(other));
}

void LoadNetwork(torch::nn::Module& network, const std::filesystem::path& path,
                 const TensorMap& tensors) {
  try {
    LoadTensors(network, tensors, LoadMode::kStrict);
  } catch (const std::exception& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace

void SegmentationTrainer::Save(const std::filesystem::path& dir) const {
  if (const auto bad_step = first_bad_step_.item<int64_t>(); bad_step > 0) {
    throw std::runtime_error("not saved to " + dir.string() +
                             ": the loss or the gradient is not finite since step " +
                             std::to_string(bad_step));
  }
  // "format": readers of the Python world ask for it.
  const Metadata metadata = {{"format", "pt"}, {kStepKey, std::to_string(step_)}};
  TakeTrainedWeights();
  TensorMap model;
  for (const auto& [name, tensor] : StateDict(*network_)) model.emplace(name, tensor);
  WriteSafetensors(dir / kModelFile, model, metadata);
  WriteSafetensors(dir / kOptimizerFile, optimizer_->State(), metadata);
  if (ema_) WriteSafetensors(dir / kAveragesFile, ema_->State(), metadata);
}

void SegmentationTrainer::Load(const std::filesystem::path& dir) {
  TakeTrainedWeights();
  const SafetensorsFile model = ReadSafetensors(dir / kModelFile);
  const SafetensorsFile optimizer = ReadSafetensors(dir / kOptimizerFile);
  const int64_t step = ParseStep(dir / kModelFile, model.metadata);
  CheckStep(dir, kOptimizerFile, optimizer.metadata, step);
  if (ema_) {
    const SafetensorsFile averages = ReadSafetensors(dir / kAveragesFile);
    CheckStep(dir, kAveragesFile, averages.metadata, step);
    LoadNetwork(*network_, dir / kAveragesFile, averages.tensors);
    ema_->Restart();
  }
  LoadNetwork(*network_, dir / kModelFile, model.tensors);
  try {
    optimizer_->LoadState(optimizer.tensors);
  } catch (const std::exception& e) {
    throw std::runtime_error((dir / kOptimizerFile).string() + ": " + e.what());
  }
  step_ = step;
  first_bad_step_.zero_();
}

}  // namespace flowtrain::model
