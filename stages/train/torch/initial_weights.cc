#include "stages/train/torch/initial_weights.h"

#include "model/io/load_weights.h"

namespace flowtrain::train {
namespace {

constexpr char kInit[] = "model/init", kBackboneWeights[] = "model/backbone_weights",
               kBackbone[] = "backbone";

void LoadInto(torch::nn::Module& module, OpenContext& context, const char* parameter,
              const Path& path, bool strict) {
  model::LoadReport report;
  std::string file;
  try {
    file = model::WeightsFile(path.text).string();
    report = model::LoadWeights(module, file,
                                strict ? model::LoadMode::kStrict : model::LoadMode::kWhatFits);
  } catch (const std::exception& error) {
    context.Refuse(parameter, error.what());
  }
  if (report.loaded == 0)
    context.Refuse(parameter, file + ": not one entry fits: " + report.Text());
  const std::string text = report.Text();
  const std::string line = std::string(parameter) + ": " + std::to_string(report.loaded) +
                           " entries from " + file + (text.empty() ? "" : "; " + text);
  if (report.Complete()) return context.Info(line);
  context.Warn(line + "; what is missing or differs begins at random");
}

}  // namespace

void LoadInitialWeights(OpenContext& context, const ModelParams& params,
                        torch::nn::Module& network) {
  if (params.init && params.backbone_weights) {
    context.Refuse(kBackboneWeights,
                   "init holds the backbone's weights too: give one of both, the other null");
  }
  if (params.init) LoadInto(network, context, kInit, *params.init, params.strict);
  if (!params.backbone_weights) return;
  const auto parts = network.named_children();
  if (!parts.contains(kBackbone))
    context.Refuse(kBackboneWeights, "this network has no part named backbone");
  LoadInto(*parts[kBackbone], context, kBackboneWeights, *params.backbone_weights, params.strict);
}

}  // namespace flowtrain::train
