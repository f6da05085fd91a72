#include "stages/train/segmentation_params.h"

#include "model/edgenext_variants.h"
#include "model/network_options.h"

namespace flowtrain::train {
namespace {

template <typename Names>
std::vector<std::string> Strings(const Names& names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> Backbones() {
  std::vector<std::string> names;
  for (const model::EdgeNextVariant& variant : model::kEdgeNextVariants)
    names.emplace_back(variant.name);
  return names;
}

// What only CamoXpert has...
void DeclareCamoXpert(Fields<ModelParams>& f) {
  using P = ModelParams;
  f.Param("backbone", &P::backbone, "What the images go through first.")
      .Choices(Backbones())
      .Affects(Effect::kTraining);
  f.Param(
       "encoder", &P::encoder,
       "What each of the backbone's stages goes through: a gate, or a gate and attention (sdta).")
      .Choices(Strings(model::kEncoderNames))
      .Affects(Effect::kTraining);
  f.Param("attention", &P::attention, "Of the sdta encoder and the attention expert.")
      .Choices(Strings(model::kAttentionNames))
      .Affects(Effect::kTraining);
  f.Param("top_k", &P::top_k,
          "Experts an image goes through in each layer; at most as many as there are.")
      .Range(1, static_cast<double>(model::kExpertNames.size()))
      .Affects(Effect::kTraining);
  f.Param("experts", &P::experts, "The experts of each layer.")
      .Choices(Strings(model::kExpertNames))
      .Sizes(1, model::kExpertNames.size())
      .Affects(Effect::kTraining);
  f.Param("balance_weight", &P::balance_weight,
          "Of the loss that keeps routers from starving experts.")
      .Min(0)
      .Affects(Effect::kTraining);
  f.Param("z_weight", &P::z_weight,
          "Of the loss that keeps routers' logits small; 1e-3 is usual where it is used.")
      .Min(0)
      .Affects(Effect::kTraining);
  f.Param("drop_path", &P::drop_path,
          "How often the backbone's last block is left out while training; earlier ones less.")
      .Range(0, 0.99)
      .Affects(Effect::kTraining);
  f.Param("deep_supervision", &P::deep_supervision,
          "Compare the decoder's inner outputs with the mask as well.")
      .Affects(Effect::kTraining);
  f.Param("gradient_checkpointing", &P::gradient_checkpointing,
          "Compute most of the forward pass again for the gradients instead of keeping it: less memory, "
          "more time, the same numbers.")
      .Affects(Effect::kRuntime);
  f.Param("backbone_weights", &P::backbone_weights,
          "Weights to begin with, of the backbone alone: timm's model.safetensors of an EdgeNeXt, "
          "or what "
          "init takes; not together with init.")
      .Affects(Effect::kTraining);
}

// ...and what only a plugin's network has.
void DeclareProvided(Fields<ModelParams>& f) {
  using P = ModelParams;
  f.Param("options", &P::options, "What a plugin's network is told in numbers.")
      .Affects(Effect::kTraining);
  f.Param("choices", &P::choices, "What a plugin's network is told in words.")
      .Affects(Effect::kTraining);
}

}  // namespace

void ModelParams::Declare(Fields<ModelParams>& f) {
  using P = ModelParams;
  f.Param("network", &P::network, "The network that is trained.")
      .Provided(model::kNetworkInterface, {kCamoXpert})
      .Affects(Effect::kTraining);
  DeclareProvided(f);
  DeclareCamoXpert(f);
  f.Param(
       "init", &P::init,
       "Weights to begin with, of the whole network: a .safetensors file, or the folder of a run's "
       "checkpoint (of one with averages, those); a resumed run has its own.")
      .Affects(Effect::kTraining);
  f.Param("strict", &P::strict,
          "Refuse such weights where an entry is missing, unexpected or of another shape; else "
          "what fits is "
          "taken, and the rest is said.")
      .Affects(Effect::kTraining);
}

std::string ModelParams::Misplaced() const {
  std::vector<ParamSpec> specs;
  Fields<ModelParams> others(specs);
  network == kCamoXpert ? DeclareProvided(others) : DeclareCamoXpert(others);
  for (const ParamSpec& spec : specs) {
    if (spec.read(this) != spec.default_value) return spec.name;
  }
  return "";
}

void OptimizerParams::Declare(Fields<OptimizerParams>& f) {
  using P = OptimizerParams;
  f.Param("lr", &P::lr, "AdamW's learning rate, after the warm-up.")
      .Above(0)
      .Affects(Effect::kTraining);
  f.Param("min_lr", &P::min_lr, "What the learning rate falls to by a cosine; at most lr.")
      .Min(0)
      .Affects(Effect::kTraining);
  f.Param("warmup_epochs", &P::warmup_epochs,
          "How long the learning rate rises at the start; a fraction is allowed.")
      .Min(0)
      .Unit("epochs")
      .Affects(Effect::kTraining);
  f.Param("weight_decay", &P::weight_decay, "AdamW's, on every weight.")
      .Min(0)
      .Affects(Effect::kTraining);
  f.Param("clip", &P::clip, "Gradients are scaled down to this norm.")
      .Above(0)
      .Affects(Effect::kTraining);
}

void LossParams::Declare(Fields<LossParams>& f) {
  using P = LossParams;
  f.Param("bce", &P::bce, "Weight of the binary cross entropy.").Min(0).Affects(Effect::kTraining);
  f.Param("iou", &P::iou, "Weight of the soft IoU loss.").Min(0).Affects(Effect::kTraining);
  f.Param("edge", &P::edge, "Weight of the difference of edges.").Min(0).Affects(Effect::kTraining);
  f.Param("deep", &P::deep, "Weight of the decoder's inner outputs.")
      .Min(0)
      .Affects(Effect::kTraining);
}

void DeclareSegmentation(Declaration<SegmentationParams>& d) {
  using P = SegmentationParams;
  d.Type("train.segmentation",
         "Trains a network that finds objects in images, validates it, and keeps checkpoints.");
  d.Input("train", {"image", "mask"});
  d.Input("val", {"image", "mask"}).Optional();
  d.Param("model", &P::model, "The network.").Affects(Effect::kTraining);
  d.Param("optimizer", &P::optimizer, "AdamW with a linear warm-up and a cosine.")
      .Affects(Effect::kTraining)
      .PerPhase();
  d.Param("loss", &P::loss, "What each part of the loss counts.")
      .Affects(Effect::kTraining)
      .PerPhase();
  d.Param("epochs", &P::epochs, "How often the training set is gone through; in a graph with phases, they say it.")
      .Min(1)
      .Affects(Effect::kTraining);
  d.Param("max_steps", &P::max_steps,
          "Ends after so many steps, to measure or to try out; the learning rate's course stays "
          "that of all epochs; 0: none.")
      .Min(0)
      .Unit("steps")
      .Affects(Effect::kRuntime);
  d.Param("ema", &P::ema,
          "Decay of an average of the weights and of batch norm's statistics, faster at the start: it "
          "is validated, and kept in checkpoints as ema.safetensors. 0.999 is usual; 0: no average.")
      .Range(0, 0.999999)
      .Affects(Effect::kTraining);
  d.Param("validate_every", &P::validate_every,
          "Validation after every so many epochs, and after the last.")
      .Min(1)
      .Unit("epochs")
      .Affects(Effect::kTraining)
      .PerPhase();
  d.Param("log_every", &P::log_every,
          "Steps between two records of the loss; on a GPU each one waits for it.")
      .Min(1)
      .Unit("steps")
      .Affects(Effect::kRuntime)
      .PerPhase();
  d.Param("resident_steps", &P::resident_steps,
          "A measurement: after training and its last checkpoint, so many steps on one batch that "
          "stays on the device, to compare with the last steps before that were fed; 0: none.")
      .Min(0)
      .Unit("steps")
      .Affects(Effect::kRuntime);
  d.Param("device", &P::device, "auto (the first GPU, else the CPU), cpu, cuda or cuda:N.")
      .Affects(Effect::kRuntime);
  d.Param("precision", &P::precision,
          "auto is bf16 where the GPU computes in it, else float32; weights are float32 in both.")
      .Choices({"auto", "float32", "bf16"})
      .Affects(Effect::kTraining);
  d.Param("channels_last", &P::channels_last, "Memory layout of weights and activations.")
      .Affects(Effect::kTraining);
  d.Param("cuda_graphs", &P::cuda_graphs,
          "On a GPU, records the parts of a step as CUDA graphs and replays them: faster, for two to three times "
          "the memory of a step; where less than a quarter of the GPU's is free, experts are launched kernel by "
          "kernel. Of a network by a plugin, and with gradient_checkpointing, nothing is recorded.")
      .Affects(Effect::kRuntime);
  d.Param("cpu_threads", &P::cpu_threads,
          "Threads of one operation on the CPU; sums depend on it, so a resumed run keeps it; 0: "
          "the CPUs granted, or 1 beside a GPU.")
      .Range(0, 1024)
      .Affects(Effect::kTraining);
}

}  // namespace flowtrain::train
