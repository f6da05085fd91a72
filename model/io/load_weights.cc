#include "model/io/load_weights.h"

#include <stdexcept>

#include "model/io/safetensors.h"
#include "model/io/weight_keys.h"
#include "model/state_dict.h"

namespace flowtrain::model {

std::filesystem::path WeightsFile(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return path;
  for (const char* file : {kAveragesFile, kModelFile}) {
    if (std::filesystem::exists(path / file, none)) return path / file;
  }
  const bool run = std::filesystem::exists(path / "checkpoints", none);
  throw std::runtime_error(
      path.string() + ": the folder holds no " + kModelFile +
      (run ? "; it is a run's: name one of its checkpoints, such as checkpoints/best" : ""));
}

LoadReport LoadWeights(torch::nn::Module& module, const std::filesystem::path& path,
                       LoadMode mode) {
  const std::filesystem::path file = WeightsFile(path);
  TensorMap given = ReadSafetensors(file).tensors;
  std::vector<std::string> own_names, given_names;
  for (const auto& [name, tensor] : StateDict(module)) own_names.push_back(name);
  for (const auto& [name, tensor] : given) given_names.push_back(name);
  try {
    SpelledKeys spelled = SpellAs(own_names, given_names);
    TensorMap tensors;
    for (const auto& [name, own] : spelled.own) tensors.emplace(own, std::move(given.at(name)));
    LoadReport report = LoadTensors(module, tensors, mode);
    report.left_out = std::move(spelled.left_out);
    return report;
  } catch (const std::exception& e) {
    throw std::runtime_error(file.string() + ": " + e.what());
  }
}

}  // namespace flowtrain::model
