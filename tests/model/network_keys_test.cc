// Parameter counts, state-dict entries and key names of the reference sizes.
#include <torch/torch.h>

#include <map>
#include <set>

#include "model/camoxpert.h"
#include "model/edgenext.h"
#include "model/edgenext_classifier.h"
#include "model/resnet.h"
#include "model/state_dict.h"
#include "tests/model/doctest_torch.h"

namespace flowtrain::model {
namespace {

int64_t CountParameters(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

std::vector<std::string> Keys(const torch::nn::Module& module) {
  std::vector<std::string> keys;
  for (const auto& entry : StateDict(module)) keys.push_back(entry.first);
  return keys;
}

}  // namespace

TEST_CASE("the four EdgeNeXt sizes have the published parameter and tensor counts") {
  const std::map<std::string, std::pair<int64_t, size_t>> expected = {
      {"edgenext_xx_small", {1157880, 156}},
      {"edgenext_x_small", {2143420, 210}},
      {"edgenext_small", {5281224, 210}},
      {"edgenext_base", {17925124, 210}}};
  for (const auto& variant : kEdgeNextVariants) {
    CAPTURE(variant.name);
    const EdgeNext backbone(variant, 0);
    const auto& [parameters, entries] = expected.at(std::string(variant.name));
    CHECK(CountParameters(backbone) == parameters);
    CHECK(StateDict(backbone).size() == entries);
  }
}

TEST_CASE("EdgeNeXt's classifiers have the published counts, and timm's keys of the whole network") {
  const std::map<std::string, std::pair<int64_t, size_t>> expected = {
      {"edgenext_xx_small", {1327216, 160}},
      {"edgenext_x_small", {2336804, 214}},
      {"edgenext_small", {5586832, 214}},
      {"edgenext_base", {18511292, 214}}};
  for (const auto& variant : kEdgeNextVariants) {
    CAPTURE(variant.name);
    const EdgeNextClassifier network(variant, 1000, 0);
    const auto& [parameters, entries] = expected.at(std::string(variant.name));
    CHECK(CountParameters(network) == parameters);
    // The same entries as the feature extractor's, in the same order, spelled otherwise; then a head.
    const auto whole = Keys(network), features = Keys(EdgeNext(variant, 0));
    REQUIRE(whole.size() == entries);
    REQUIRE(features.size() == entries - 4);
    for (size_t i = 0; i < features.size(); ++i) {
      auto key = whole[i];
      const auto dot = key.find('.');
      key[dot] = '_';
      CHECK(key == features[i]);
    }
    CHECK(std::vector<std::string>(whole.end() - 4, whole.end()) ==
          std::vector<std::string>{"head.norm.weight", "head.norm.bias", "head.fc.weight",
                                   "head.fc.bias"});
  }
}

TEST_CASE("ResNet-50 has torchvision's parameters, entries and keys") {
  const ResNet50 network;
  CHECK(CountParameters(network) == 25557032);
  CHECK(network.parameters().size() == 161);
  CHECK(network.buffers().size() == 159);
  const auto keys = Keys(network);
  CHECK(keys.size() == 320);
  const std::set<std::string> all(keys.begin(), keys.end());
  CHECK(keys.front() == "conv1.weight");
  CHECK(keys.back() == "fc.bias");
  for (const char* key :
       {"bn1.running_mean", "layer1.0.downsample.0.weight", "layer1.0.downsample.1.num_batches_tracked",
        "layer2.3.conv3.weight", "layer3.5.bn2.bias", "layer4.2.bn3.running_var", "fc.weight"}) {
    CAPTURE(key);
    CHECK(all.count(key) == 1);
  }
  CHECK(all.count("layer1.1.downsample.0.weight") == 0);
}

TEST_CASE("CamoXpert on edgenext_base has the reference's parameters and entries, part by part") {
  const auto network = MakeCamoXpert({});
  CHECK(CountParameters(*network) == 30954585);
  CHECK(network->parameters().size() == 746);
  CHECK(network->buffers().size() == 39);
  const auto entries = StateDict(*network);
  CHECK(entries.size() == 785);

  const auto buffers = network->named_buffers();
  std::map<std::string, std::pair<int64_t, int>> parts;
  std::vector<int64_t> layers(4);
  for (const auto& [name, tensor] : entries) {
    auto& [parameters, count] = parts[name.substr(0, name.find('.'))];
    const auto numel = buffers.contains(name) ? 0 : tensor.numel();
    parameters += numel;
    ++count;
    if (name.rfind("moe_layers.", 0) == 0) layers[name[11] - '0'] += numel;
  }
  const std::map<std::string, std::pair<int64_t, int>> expected = {
      {"backbone", {17925124, 210}},  {"sdta_blocks", {169743, 24}},
      {"moe_layers", {8641490, 480}}, {"decoder_blocks", {4199136, 56}},
      {"deep_heads", {531, 6}},       {"final_conv", {18561, 9}}};
  CHECK(parts == expected);
  CHECK(layers == std::vector<int64_t>{126587, 493167, 1578895, 6442841});
}

TEST_CASE("CamoXpert's keys are those of the public checkpoints") {
  const auto keys = Keys(*MakeCamoXpert({}));
  const std::set<std::string> known(keys.begin(), keys.end());
  for (const char* key : {"backbone.stem_0.weight",
                          "backbone.stem_1.bias",
                          "backbone.stages_1.downsample.1.weight",
                          "backbone.stages_0.blocks.2.conv_dw.weight",
                          "backbone.stages_1.blocks.2.gamma_xca",
                          "backbone.stages_1.blocks.2.pos_embd.token_projection.weight",
                          "backbone.stages_2.blocks.8.xca.temperature",
                          "backbone.stages_3.blocks.2.convs.2.bias",
                          "sdta_blocks.0.channel_attention.3.weight",
                          "sdta_blocks.3.spatial_attention.0.bias",
                          "moe_layers.2.gate.1.weight",
                          "moe_layers.0.experts.0.branch4.2.bias",
                          "moe_layers.0.experts.1.attention.qkv.weight",
                          "moe_layers.1.experts.2.global_branch.3.bias",
                          "moe_layers.0.experts.3.mid_freq_conv.0.weight",
                          "moe_layers.3.experts.4.laplacian_base",
                          "moe_layers.0.experts.5.context_fusion.1.weight",
                          "moe_layers.0.experts.6.local_contrast.4.weight",
                          "decoder_blocks.3.conv.4.running_var",
                          "deep_heads.2.weight",
                          "final_conv.3.bias"}) {
    CAPTURE(key);
    CHECK(known.count(key) == 1);
  }
  CHECK(known.count("moe_layers.0.experts.1.attention.qkv.bias") == 0);
}

TEST_CASE("within a module the order is parameters, buffers, children") {
  const auto keys = Keys(*MakeCamoXpert({}));
  const auto at = [&](const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) - keys.begin();
  };
  const std::string edge = "moe_layers.0.experts.4.";
  CHECK(at(edge + "sobel_x_base") + 3 == at(edge + "sobel_branch.0.weight"));
  const std::string block = "backbone.stages_1.blocks.2.";
  CHECK(at(block + "gamma_xca") + 1 == at(block + "gamma"));
  CHECK(at(block + "gamma") + 1 == at(block + "convs.0.weight"));
  CHECK(at("final_conv.1.num_batches_tracked") + 1 == at("final_conv.3.weight"));
}

TEST_CASE("linear and standard attention have the same keys, and sdta only adds to gate's") {
  CamoXpertOptions options;
  options.backbone = "edgenext_xx_small";
  const auto gate = Keys(*MakeCamoXpert(options));
  options.encoder = "sdta";
  const auto linear = Keys(*MakeCamoXpert(options));
  options.attention = "standard";
  CHECK(Keys(*MakeCamoXpert(options)) == linear);
  const std::set<std::string> all(linear.begin(), linear.end());
  for (const auto& key : gate) CHECK(all.count(key) == 1);
  CHECK(linear.size() == gate.size() + 4 * 4);
  CHECK(all.count("sdta_blocks.2.attention.qkv.weight") == 1);
  CHECK(all.count("sdta_blocks.2.gamma") == 1);
}

TEST_CASE("an option out of its range is refused with its name, value and what is allowed") {
  const auto message = [](auto change) {
    CamoXpertOptions options;
    options.backbone = "edgenext_xx_small";
    change(options);
    try {
      MakeCamoXpert(options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message([](auto& o) { o.backbone = "resnet"; }) ==
        "backbone: 'resnet' is unknown; allowed: edgenext_xx_small, edgenext_x_small, "
        "edgenext_small, edgenext_base");
  CHECK(message([](auto& o) { o.encoder = "none"; }) ==
        "encoder: 'none' is unknown; allowed: gate, sdta");
  CHECK(message([](auto& o) { o.attention = "flash"; }) ==
        "attention: 'flash' is unknown; allowed: linear, standard");
  CHECK(message([](auto& o) { o.top_k = 8; }) ==
        "top_k: 8 is out of range; allowed: 1..7, the number of experts");
  CHECK(message([](auto& o) { o.drop_path = 1; }) ==
        "drop_path: 1 is out of range; allowed: at least 0 and below 1");
  CHECK(message([](auto& o) { o.balance_weight = -1; }) ==
        "balance_weight: -1 is out of range; allowed: >= 0");
  CHECK(message([](auto& o) {
          o.experts = {"edge", "fourier"};
        }).find("'fourier'") != std::string::npos);
  CHECK(message([](auto& o) { o.experts.clear(); }).find("experts: the list is empty") == 0);
}

}  // namespace flowtrain::model
