// train.segmentation with a network that another plugin provides.
#include <doctest/doctest.h>

#include <cmath>

#include "train/plugin.h"
#include "train/scripted_run.h"

namespace flowtrain::train::test {
namespace {

const std::vector<Provision>& Provided() {
  static const auto plugin = testing::LoadPlugin(FLOWTRAIN_NETWORKS_PLUGIN);
  return plugin.provisions;
}

Value Graph(const std::string& network, const Value::Object& changes = {}) {
  Value params = Tiny();
  params.Set("model", Value::Object{{"network", network}});
  params.Set("optimizer", Value::Object{{"lr", 1e-2}, {"warmup_epochs", 0.5}});
  for (const auto& [path, value] : changes) SetAt(params, path, value);
  return params;
}

ScriptedRun NetworkRun(const Value& params, const SavedRun* resume = nullptr) {
  return {params, kShape, resume, Provided()};
}

// "accepted", or the refusal with its place.
std::string Opening(const Value& params, testing::TestOpenContext& open) {
  open.provisions = Provided();
  open.inputs["train"] = open.inputs["val"] = InfoOf(kShape);
  try {
    testing::Make<Consumer>(Plugin().Find("train.segmentation"), params, open);
  } catch (const testing::Refused& refusal) {
    return refusal.parameter() + ": " + refusal.what();
  }
  return "accepted";
}
std::string Opening(const Value& params) {
  testing::TestOpenContext open;
  return Opening(params, open);
}

TEST_CASE("a plugin's network is trained, validated and kept") {
  ScriptedRun run = NetworkRun(Graph("networks.plain", {{"epochs", 20}}));
  run.Run();
  const std::vector<double> losses = run.Recorded("train", "loss");
  REQUIRE(losses.size() == 40);
  for (const double loss : losses) CHECK(std::isfinite(loss));
  CHECK(losses.back() < 0.8 * losses.front());
  CHECK(run.Recorded("train", "deep").front() > 0);
  CHECK(run.Recorded("val", "iou").back() > run.Recorded("val", "iou").front());
  CHECK(run.checkpoints.size() == 20);
  CHECK(run.infos.at(0) == "networks.plain: 0.00 M parameters");
  MESSAGE("loss " << losses.front() << " -> " << losses.back() << ", IoU "
                  << run.Recorded("val", "iou").back());
}

TEST_CASE("a plugin's network that is resumed has the losses of the undisturbed run") {
  const Value params = Graph("networks.plain", {{"model/options", Value::Object{{"drop", 0.3}}}});
  ScriptedRun whole = NetworkRun(params);
  whole.Run();
  ScriptedRun first = NetworkRun(params);
  first.streams.at("train").stop_at = 3;
  first.Run();
  const SavedRun saved = first.Save();
  ScriptedRun second = NetworkRun(params, &saved);
  second.Run();
  std::vector<double> losses = first.Recorded("train", "loss");
  for (const double loss : second.Recorded("train", "loss")) losses.push_back(loss);
  CHECK(losses == whole.Recorded("train", "loss"));
  CHECK(second.Recorded("val", "iou").back() == whole.Recorded("val", "iou").back());
}

TEST_CASE(
    "a plugin's network begins with the weights that init names, and strict holds them to fit") {
  ScriptedRun trained = NetworkRun(Graph("networks.plain"));
  trained.Run();
  const SavedRun saved = trained.Save();
  const std::string file = (saved.folder / "model.safetensors").string();
  testing::TestOpenContext open;
  CHECK(Opening(Graph("networks.plain", {{"model/init", saved.folder.string()}}), open) ==
        "accepted");
  REQUIRE(open.infos.size() == 1);
  // Two convolutions' weights and biases; the norm's, its mean, variance and count.
  CHECK(open.infos[0] == "model/init: 9 entries from " + file);
  const Value::Object other = {{"model/init", file},
                               {"model/options", Value::Object{{"width", 5}}}};
  const std::string refused = Opening(Graph("networks.plain", other));
  CHECK(refused.starts_with("model/init: " + file));
  CHECK(refused.find("first.weight: [5, 3, 3, 3] in the module, [4, 3, 3, 3] given") !=
        refused.npos);
  Value what_fits = Graph("networks.plain", other);
  SetAt(what_fits, "model/strict", false);
  testing::TestOpenContext lenient;
  CHECK(Opening(what_fits, lenient) == "accepted");
  CHECK(lenient.warnings.size() == 1);
}

TEST_CASE("a network's options reach it, and what it does not know is refused by name") {
  const auto with = [](const char* map, const char* name, Value value) {
    return Opening(
        Graph("networks.plain", {{std::string("model/") + map, Value::Object{{name, value}}}}));
  };
  CHECK(with("options", "width", 8) == "accepted");
  CHECK(with("choices", "norm", "none") == "accepted");
  CHECK(with("options", "widht", 8) ==
        "model/options/widht: networks.plain: \"widht\" is not among this network's options; "
        "allowed: "
        "\"drop\", \"width\"");
  CHECK(
      with("options", "norm", 1) ==
      "model/options/norm: networks.plain: \"norm\" is not among this network's options; allowed: "
      "\"drop\", \"width\"");
  CHECK(with("options", "width", 65) ==
        "model/options/width: networks.plain: 65 is out of range: expected a number from 1 to 64");
  CHECK(with("options", "width", 4.5) ==
        "model/options/width: networks.plain: expected an integer, found 4.5");
  CHECK(with("options", "drop", -0.1) ==
        "model/options/drop: networks.plain: -0.1 is out of range: expected a number from 0 to 1");
  CHECK(with("choices", "norm", "group") ==
        "model/choices/norm: networks.plain: \"group\" is no choice; allowed: \"batch\", \"none\"");
  CHECK(with("choices", "act", "relu") ==
        "model/choices/act: networks.plain: \"act\" is not among this network's choices; allowed: "
        "\"norm\"");
}

TEST_CASE(
    "what only CamoXpert knows is refused by name beside another network, and the other way "
    "round") {
  const Value::Object of_camoxpert = {{"backbone", "edgenext_small"},
                                      {"encoder", "gate"},
                                      {"attention", "standard"},
                                      {"top_k", 2},
                                      {"experts", Value::List{"edge", "texture", "contrast"}},
                                      {"balance_weight", 0.5},
                                      {"z_weight", 0.5},
                                      {"drop_path", 0.5},
                                      {"deep_supervision", false},
                                      {"gradient_checkpointing", true},
                                      {"backbone_weights", "w.safetensors"}};
  for (const auto& [name, value] : of_camoxpert) {
    CHECK(Opening(Graph("networks.plain", {{"model/" + name, value}})) ==
          "model/" + name +
              ": is for camoxpert, and the network is \"networks.plain\": leave it out");
  }
  CHECK(Opening(Tiny({{"model/options", Value::Object{{"width", 8}}}})) ==
        "model/options: is for a plugin's network, and the network is \"camoxpert\": leave it out");
  CHECK(Opening(Tiny({{"model/choices", Value::Object{{"norm", "none"}}}})) ==
        "model/choices: is for a plugin's network, and the network is \"camoxpert\": leave it out");
}

TEST_CASE("a network that is not there, or is not made, is refused at its place with the reason") {
  CHECK(Opening(Graph("networks.plian"))
            .starts_with(
                "model/network: nothing provides \"networks.plian\" as flowtrain.model.Network/1"));
  CHECK(Opening(Graph("networks.none")) ==
        "model/network: networks.none: the plugin made no network");
  CHECK(Opening(Graph("networks.throws")) == "model/network: networks.throws: it is not ready");
  CHECK(Opening(Graph("networks.torch")) == "model/network: networks.torch: LibTorch will not");
}

TEST_CASE("logits of another size than the images' end the run with both shapes") {
  ScriptedRun run = NetworkRun(Graph("networks.half"));
  std::string message;
  try {
    run.Run();
  } catch (const std::exception& error) {
    message = error.what();
  }
  CHECK(message.find("[2, 1, 32, 32]") != message.npos);
  CHECK(message.find("[2, 1, 64, 64]") != message.npos);
}

TEST_CASE(
    "a network whose layers have different numbers of experts is reported, experts by number") {
  ScriptedRun run = NetworkRun(Graph("networks.routed", {{"epochs", 1}}));
  run.Run();
  bool told = false;
  for (const std::string& info : run.infos) {
    told |= info ==
            "epoch 1: experts that got less than 1% of their layer's images: 1 in layer 1, "
            "1 in layer 2, 2 in layer 2";
  }
  CHECK(told);
}

}  // namespace
}  // namespace flowtrain::train::test
