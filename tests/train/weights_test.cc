// What a new run's network begins with: init, backbone_weights, strict.
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "train/plugin.h"
#include "train/scripted_run.h"

namespace flowtrain::train::test {
namespace {

// Without dropout, so that a loss depends on weights and batch alone.
Value Plain(Value::Object changes = {}) {
  changes.insert(
      changes.begin(),
      {{"model/experts", Value::List{"texture", "edge"}}, {"model/top_k", 2}, {"epochs", 1}});
  return Tiny(changes);
}

// A run's weights after an epoch, for as long as the process lives.
const SavedRun& Trained() {
  static const ScratchFolder kept;
  static const SavedRun saved = [] {
    ScriptedRun run(Plain(), kShape);
    run.Run();
    SavedRun made = run.Save();
    std::filesystem::copy(made.folder, kept.path());
    made.folder = kept.path();
    return made;
  }();
  return saved;
}

std::filesystem::path TrainedFile() { return Trained().folder / "model.safetensors"; }

// A copy of the trained weights with other words in the header, in as many bytes.
std::filesystem::path Reworded(const ScratchFolder& folder,
                               const std::vector<std::pair<std::string, std::string>>& words) {
  std::ifstream in(TrainedFile(), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  std::string header = bytes.substr(sizeof length, length);
  for (const auto& [from, to] : words) {
    REQUIRE(header.find(from) != header.npos);
    for (size_t at = header.find(from); at != header.npos; at = header.find(from, at + to.size()))
      header.replace(at, from.size(), to);
  }
  REQUIRE(header.size() <= length);
  header.resize(length, ' ');
  bytes.replace(sizeof length, length, header);
  const std::filesystem::path path = folder.path() / "reworded.safetensors";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// What opening says: the refusal with its place, else the infos and warnings about weights.
std::string Opened(const Value& params, bool resuming = false) {
  testing::TestOpenContext open;
  open.resumes = resuming;
  open.inputs["train"] = open.inputs["val"] = InfoOf(kShape);
  try {
    testing::Make<Consumer>(Plugin().Find("train.segmentation"), params, open);
  } catch (const testing::Refused& refusal) {
    return refusal.parameter() + ": " + refusal.what();
  }
  std::string said;
  for (const std::vector<std::string>* lines : {&open.infos, &open.warnings})
    for (const std::string& line : *lines) said += line.starts_with("model/") ? line : "";
  return said;
}

std::string OpenedWith(const char* parameter, const std::filesystem::path& path) {
  return Opened(Plain({{parameter, path.string()}}));
}

// The loss of a run's first step, on the batch that the trained run would have had next.
double FirstLoss(const Value::Object& changes) {
  ScriptedRun run(Plain(changes), kShape);
  run.streams.at("train").make = [](uint64_t, uint64_t index) {
    return FitContent(kShape, 1, index);
  };
  run.streams.at("train").stop_at = 1;
  run.Run();
  return run.Recorded("train", "loss").at(0);
}

TEST_CASE("a run that begins with another's weights has the loss that one would have had next") {
  ScriptedRun next(Plain({{"epochs", 2}}), kShape, &Trained());
  next.streams.at("train").stop_at = 3;
  next.Run();
  const double due = next.Recorded("train", "loss").at(0);
  CHECK(FirstLoss({{"model/init", Trained().folder.string()}}) == due);
  CHECK(FirstLoss({{"model/init", TrainedFile().string()}}) == due);
  CHECK(FirstLoss({{"model/init", std::filesystem::relative(TrainedFile()).string()}}) == due);
  const ScratchFolder folder;
  const auto whole = Reworded(
      folder, {{"backbone.stem_", "backbone.stem."}, {"backbone.stages_", "backbone.stages."}});
  CHECK(FirstLoss({{"model/init", whole.string()}}) == due);
  // The backbone alone is neither the whole network nor nothing.
  const double backbone = FirstLoss({{"model/backbone_weights", Trained().folder.string()}}),
               fresh = FirstLoss({});
  CHECK(backbone != due);
  CHECK(backbone != fresh);
  MESSAGE("first loss " << due << " with init, " << backbone << " with the backbone's weights, "
                        << fresh << " without");
}

TEST_CASE("what was loaded and what was left out is said") {
  const std::string entries = OpenedWith("model/init", TrainedFile());
  CHECK(entries.starts_with("model/init: "));
  CHECK(entries.ends_with(" entries from " + TrainedFile().string()));
  const std::string backbone = OpenedWith("model/backbone_weights", Trained().folder);
  CHECK(backbone.starts_with("model/backbone_weights: 156 entries from " +
                             TrainedFile().string() + "; "));
  CHECK(backbone.find(" left out: decoder_blocks.0.conv.0.bias, ") != backbone.npos);
}

TEST_CASE("a weights file that is not there or no such file is refused by the parameter's place") {
  const ScratchFolder folder;
  for (const char* parameter : {"model/init", "model/backbone_weights"}) {
    const std::string start = std::string(parameter) + ": ";
    CHECK(OpenedWith(parameter, folder / "none") ==
          start + (folder / "none").string() + ": cannot be opened: No such file or directory");
    std::ofstream(folder / "a.pth") << "PK\3\4 what torch.save writes";
    CHECK(OpenedWith(parameter, folder / "a.pth")
              .starts_with(start + (folder / "a.pth").string() + ": is no safetensors file"));
    CHECK(OpenedWith(parameter, folder.path()) ==
          start + folder.path().string() + ": the folder holds no model.safetensors");
  }
}

TEST_CASE(
    "entries that are missing, unexpected or of another shape are refused, or said where strict is "
    "false") {
  const ScratchFolder folder;
  const auto path =
      Reworded(folder, {{"final_conv.3.bias", "final_conv.9.bias"}, {"[1,32,1,1]", "[1,1,32,1]"}});
  const std::string said =
      "1 missing: final_conv.3.bias; 1 unexpected: final_conv.9.bias; "
      "1 of another shape: final_conv.3.weight: [1, 32, 1, 1] in the module, [1, 1, 32, 1] given";
  CHECK(OpenedWith("model/init", path) == "model/init: " + path.string() + ": " + said);
  const std::string taken = Opened(Plain({{"model/init", path.string()}, {"model/strict", false}}));
  CHECK(taken.starts_with("model/init: "));
  CHECK(taken.ends_with(" entries from " + path.string() + "; " + said +
                        "; what is missing or differs begins at random"));
}

TEST_CASE("weights of another network are refused, also where strict is false") {
  const ScratchFolder folder;
  const auto path = Reworded(folder, {{"backbone.", "another."},
                                      {"decoder", "dec0der"},
                                      {"sdta_", "sdtb_"},
                                      {"moe_", "mox_"},
                                      {"deep_", "deeq_"},
                                      {"final_", "fina__"}});
  for (const bool strict : {true, false}) {
    const std::string refusal =
        Opened(Plain({{"model/init", path.string()}, {"model/strict", strict}}));
    CHECK(refusal.starts_with("model/init: " + path.string() + ": "));
    CHECK(refusal.find(" missing: ") != refusal.npos);
  }
}

TEST_CASE("init and backbone_weights together are refused: init has the backbone's too") {
  CHECK(Opened(Plain({{"model/init", TrainedFile().string()},
                      {"model/backbone_weights", TrainedFile().string()}})) ==
        "model/backbone_weights: init holds the backbone's weights too: give one of both, the "
        "other null");
}

TEST_CASE("a resumed run has the checkpoint's weights, and what it began with need not be there") {
  CHECK(Opened(Plain({{"model/init", "/nowhere/at/all"}}), /*resuming=*/true).empty());
  ScriptedRun plain(Plain({{"epochs", 2}}), kShape, &Trained());
  plain.Run();
  ScriptedRun named(Plain({{"epochs", 2}, {"model/init", "/nowhere/at/all"}}), kShape, &Trained());
  named.Run();
  CHECK(named.Recorded("train", "loss").size() == 2);
  CHECK(named.Recorded("train", "loss") == plain.Recorded("train", "loss"));
}

TEST_CASE("what a run begins with is of its training: a resumed run must not change it") {
  for (const ParamSpec& param : Plugin().Find("train.segmentation").params) {
    if (param.name != "model") continue;
    int found = 0;
    for (const ParamSpec& field : param.type.fields) {
      if (field.name != "init" && field.name != "backbone_weights" && field.name != "strict")
        continue;
      ++found;
      CHECK((field.effect == Effect::kTraining));
    }
    CHECK(found == 3);
  }
}

}  // namespace
}  // namespace flowtrain::train::test
