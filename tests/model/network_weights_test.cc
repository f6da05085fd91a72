// Published files into the networks: both spellings, prefixes, heads, and another number of
// classes.
#include <torch/torch.h>

#include <fstream>

#include "model/camoxpert.h"
#include "model/doctest_torch.h"
#include "model/edgenext_classifier.h"
#include "model/io/load_weights.h"
#include "model/io/safetensors.h"
#include "model/io/weight_keys.h"
#include "model/resnet.h"
#include "model/state_dict.h"
#include "support/scratch_folder.h"

namespace flowtrain::model {
namespace {

using Names = std::vector<std::string>;

const EdgeNextVariant& XxSmall() { return FindEdgeNext("edgenext_xx_small"); }

Names NamesOf(const torch::nn::Module& module) {
  Names names;
  for (const auto& [name, tensor] : StateDict(module)) names.push_back(name);
  return names;
}

// A file of the module's entries, their names given by `respell`.
template <typename Respell>
std::filesystem::path Written(const ScratchFolder& folder, const torch::nn::Module& module,
                              const Respell& respell) {
  TensorMap tensors;
  for (const auto& [name, tensor] : StateDict(module)) tensors.emplace(respell(name), tensor);
  WriteSafetensors(folder.path() / "w.safetensors", tensors, {});
  return folder.path() / "w.safetensors";
}

std::filesystem::path Written(const ScratchFolder& folder, const torch::nn::Module& module) {
  return Written(folder, module, [](const std::string& name) { return name; });
}

torch::Tensor Entry(const torch::nn::Module& module, const std::string& name) {
  for (const auto& [own, tensor] : StateDict(module))
    if (own == name) return tensor;
  throw std::runtime_error("no entry " + name);
}

TEST_CASE("every entry of every EdgeNeXt is found under each spelling and prefix") {
  size_t matched = 0;
  for (const EdgeNextVariant& variant : kEdgeNextVariants) {
    const EdgeNext features(variant, 0);
    const EdgeNextClassifier whole(variant, 1000, 0);
    const Names own = NamesOf(features), published = NamesOf(whole);
    for (const std::string prefix : {"", "backbone.", "module.", "module.backbone."}) {
      for (const Names* file : {&own, &published}) {
        Names given;
        for (const std::string& name : *file) given.push_back(prefix + name);
        const SpelledKeys spelled = SpellAs(own, given);
        CHECK(spelled.left_out.size() == file->size() - own.size());
        std::set<std::string> found;
        for (const auto& [name, as_own] : spelled.own) found.insert(as_own);
        CHECK(found == std::set<std::string>(own.begin(), own.end()));
        matched += found.size();
      }
    }
  }
  MESSAGE(matched << " names matched");
}

TEST_CASE("a published EdgeNeXt fills a feature extractor, its head is left out and named") {
  const ScratchFolder folder;
  const EdgeNextClassifier published(XxSmall(), 1000, 0);
  EdgeNext features(XxSmall(), 0);
  const LoadReport report = LoadWeights(features, Written(folder, published), LoadMode::kStrict);
  CHECK(report.loaded == 156);
  CHECK(report.Text() ==
        "4 left out: head.fc.bias, head.fc.weight, head.norm.bias, head.norm.weight");
  CHECK(torch::equal(Entry(features, "stem_0.weight"), Entry(published, "stem.0.weight")));
  CHECK(torch::equal(Entry(features, "stages_3.blocks.1.xca.qkv.weight"),
                     Entry(published, "stages.3.blocks.1.xca.qkv.weight")));
}

TEST_CASE(
    "a feature extractor's file lacks a classifier's head: strict refuses, else the head stays "
    "fresh") {
  const ScratchFolder folder;
  const EdgeNext features(XxSmall(), 0);
  const auto path =
      Written(folder, features, [](const std::string& name) { return "module." + name; });
  EdgeNextClassifier classifier(XxSmall(), 10, 0);
  const torch::Tensor head = Entry(classifier, "head.fc.weight").clone();
  const std::string said =
      "4 missing: head.norm.weight, head.norm.bias, head.fc.weight, head.fc.bias";
  CHECK_THROWS_WITH(LoadWeights(classifier, path, LoadMode::kStrict),
                    (path.string() + ": " + said).c_str());
  const LoadReport report = LoadWeights(classifier, path, LoadMode::kWhatFits);
  CHECK(report.Text() == said);
  CHECK(report.loaded == 156);
  CHECK(torch::equal(Entry(classifier, "head.fc.weight"), head));
  CHECK(torch::equal(Entry(classifier, "stem.0.weight"), Entry(features, "stem_0.weight")));
}

TEST_CASE("a backbone's file fits CamoXpert's part, and CamoXpert's file fits a backbone") {
  const ScratchFolder folder;
  const auto network = MakeCamoXpert({.backbone = "edgenext_xx_small", .encoder = "gate"});
  const EdgeNextClassifier published(XxSmall(), 1000, 0);
  const auto backbone = network->named_children()["backbone"];
  CHECK(LoadWeights(*backbone, Written(folder, published), LoadMode::kStrict).loaded == 156);
  CHECK(torch::equal(Entry(*network, "backbone.stem_0.weight"), Entry(published, "stem.0.weight")));

  EdgeNext features(XxSmall(), 0);
  const LoadReport report = LoadWeights(features, Written(folder, *network), LoadMode::kStrict);
  CHECK(report.loaded == 156);
  CHECK(report.left_out.size() == StateDict(*network).size() - 156);
  CHECK(torch::equal(Entry(features, "stem_0.weight"), Entry(published, "stem.0.weight")));
}

TEST_CASE(
    "CamoXpert's file with its backbone spelled the other way, from data parallel, fits "
    "CamoXpert") {
  const ScratchFolder folder;
  const CamoXpertOptions options = {.backbone = "edgenext_xx_small", .encoder = "gate"};
  const auto from = MakeCamoXpert(options), to = MakeCamoXpert(options);
  const auto path = Written(folder, *from, [](std::string name) {
    for (const char* part : {"backbone.stem_", "backbone.stages_"})
      if (name.starts_with(part)) name[std::string(part).size() - 1] = '.';
    return "module." + name;
  });
  CHECK(LoadWeights(*to, path, LoadMode::kStrict).Text().empty());
  for (const auto& [name, tensor] : StateDict(*from)) CHECK(torch::equal(Entry(*to, name), tensor));
}

TEST_CASE("torchvision's ResNet-50 fills ours, and of one with other classes all but the head") {
  const ScratchFolder folder;
  const ResNet50 published;
  const auto path = Written(folder, published);
  ResNet50 same;
  CHECK(LoadWeights(same, path, LoadMode::kStrict).loaded == 320);
  CHECK(torch::equal(Entry(same, "layer4.2.bn3.weight"), Entry(published, "layer4.2.bn3.weight")));

  ResNet50 ten({.classes = 10});
  const torch::Tensor head = Entry(ten, "fc.weight").clone();
  const std::string said =
      "2 of another shape: fc.weight: [10, 2048] in the module, [1000, 2048] given, "
      "fc.bias: [10] in the module, [1000] given";
  CHECK_THROWS_WITH(LoadWeights(ten, path, LoadMode::kStrict),
                    (path.string() + ": " + said).c_str());
  const LoadReport report = LoadWeights(ten, path, LoadMode::kWhatFits);
  CHECK(report.Text() == said);
  CHECK(report.loaded == 318);
  CHECK(torch::equal(Entry(ten, "fc.weight"), head));
  CHECK(torch::equal(Entry(ten, "conv1.weight"), Entry(published, "conv1.weight")));
}

TEST_CASE(
    "a checkpoint's folder stands for its model, another folder is refused with where to look") {
  const ScratchFolder folder;
  const EdgeNext features(XxSmall(), 0);
  std::filesystem::rename(Written(folder, features), folder.path() / kModelFile);
  EdgeNext other(XxSmall(), 0);
  CHECK(LoadWeights(other, folder.path(), LoadMode::kStrict).loaded == 156);
  const ScratchFolder run;
  const std::string none = run.path().string() + ": the folder holds no model.safetensors";
  CHECK_THROWS_WITH(LoadWeights(other, run.path(), LoadMode::kStrict), none.c_str());
  std::filesystem::create_directory(run.path() / "checkpoints");
  CHECK_THROWS_WITH(
      LoadWeights(other, run.path(), LoadMode::kStrict),
      (none + "; it is a run's: name one of its checkpoints, such as checkpoints/best").c_str());
}

}  // namespace
}  // namespace flowtrain::model
