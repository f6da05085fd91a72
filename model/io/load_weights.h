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

// `path`: a safetensors file, or a folder that holds kModelFile. Names are matched as SpellAs does,
// else as LoadTensors. Throws std::runtime_error that names the file.
LoadReport LoadWeights(torch::nn::Module& module, const std::filesystem::path& path, LoadMode mode);

}  // namespace flowtrain::model
