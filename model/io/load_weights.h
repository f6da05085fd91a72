// A weights file into a module, whichever way it spells the entries' names. On the thread that owns
// the module.
#pragma once

#include <torch/torch.h>

#include <filesystem>

#include "model/io/load.h"

namespace flowtrain::model {

// Of a checkpoint's folder: the weights that are trained, and their average (model/optim/ema.h),
// where the run kept one.
constexpr char kModelFile[] = "model.safetensors";
constexpr char kAveragesFile[] = "ema.safetensors";

// The file that `path` means: itself, or of a checkpoint's folder the weights that were validated,
// kAveragesFile where there is one, else kModelFile. Throws std::runtime_error where it holds
// neither.
std::filesystem::path WeightsFile(const std::filesystem::path& path);

// `path`: as in WeightsFile. Names are matched as SpellAs does, else as LoadTensors. Throws
// std::runtime_error that names the file.
LoadReport LoadWeights(torch::nn::Module& module, const std::filesystem::path& path, LoadMode mode);

}  // namespace flowtrain::model
