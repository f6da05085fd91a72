// What `train.segmentation` can be told. Declared where no LibTorch is, read by the half that has
// it: both halves include this.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/camoxpert_options.h"
#include "model/loss/loss_weights.h"

namespace flowtrain::train {

inline constexpr char kCamoXpert[] = "camoxpert";

struct ModelParams {
  std::string network = kCamoXpert;
  std::map<std::string, double> options;
  std::map<std::string, std::string> choices;
  std::string backbone = "edgenext_base";
  std::string encoder = "sdta";
  std::string attention = "linear";
  int64_t top_k = 3;
  std::vector<std::string> experts = {model::kExpertNames.begin(), model::kExpertNames.end()};
  double balance_weight = 0.01;
  double z_weight = 0;
  double drop_path = 0;
  bool deep_supervision = true;
  bool gradient_checkpointing = false;
  std::optional<Path> init;
  std::optional<Path> backbone_weights;
  bool strict = true;
  static void Declare(Fields<ModelParams>& f);
  // A parameter that the network named does not have and that is not at its default; empty: none.
  std::string Misplaced() const;
};

struct OptimizerParams {
  double lr = 2.5e-4;
  double min_lr = 1e-5;
  double warmup_epochs = 5;
  double weight_decay = 1e-4;
  double clip = 0.5;
  static void Declare(Fields<OptimizerParams>& f);
};

struct LossParams {
  double bce = model::LossWeights{}.bce;
  double iou = model::LossWeights{}.iou;
  double edge = model::LossWeights{}.edge;
  double deep = model::LossWeights{}.deep;
  static void Declare(Fields<LossParams>& f);
};

struct SegmentationParams {
  ModelParams model;
  OptimizerParams optimizer;
  LossParams loss;
  int64_t epochs = 1;
  int64_t max_steps = 0;
  double ema = 0;
  int64_t validate_every = 1;
  int64_t log_every = 10;
  int64_t resident_steps = 0;
  std::string device = "auto";
  std::string precision = "auto";
  bool channels_last = true;
  bool cuda_graphs = true;
  int cpu_threads = 0;
};

void DeclareSegmentation(Declaration<SegmentationParams>& d);

}  // namespace flowtrain::train
