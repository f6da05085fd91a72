// train.segmentation's ema: what is validated, kept and gone on with.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "train/plugin.h"
#include "train/scripted_run.h"

namespace flowtrain::train::test {
namespace {

Value Averaged(Value::Object changes = {}) {
  changes.insert(changes.begin(), {"ema", 0.9});
  return Tiny(changes);
}

std::string Bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("with ema the validation is of the averages, and what is trained is the same") {
  ScriptedRun averaged(Averaged(), kShape), plain(Tiny(), kShape);
  averaged.Run();
  plain.Run();
  CHECK(averaged.Recorded("train", "loss") == plain.Recorded("train", "loss"));
  const std::vector<double> mae = averaged.Recorded("val", "mae"),
                            of_trained = plain.Recorded("val", "mae");
  MESSAGE("MAE " << mae.back() << " of the averages, " << of_trained.back()
                 << " of what is trained");
  CHECK(mae.back() != of_trained.back());
  CHECK(averaged.summary_of("best IoU").ends_with(", averaged weights)"));
  const SavedRun saved = averaged.Save(), without = plain.Save();
  CHECK(Bytes(saved.folder / "model.safetensors") == Bytes(without.folder / "model.safetensors"));
  CHECK(Bytes(saved.folder / "ema.safetensors") != Bytes(saved.folder / "model.safetensors"));
  CHECK_FALSE(std::filesystem::exists(without.folder / "ema.safetensors"));
}

TEST_CASE("a run with ema resumed anywhere has losses, metrics and files of the undisturbed one") {
  ScriptedRun whole(Averaged(), kShape);
  whole.Run();
  for (const char* input : {"train", "val"}) {
    CAPTURE(input);
    ScriptedRun first(Averaged(), kShape);
    first.streams.at(input).stop_at = 1;  // for "val", in the middle of a validation
    first.Run();
    const SavedRun saved = first.Save();
    ScriptedRun second(Averaged(), kShape, &saved);
    second.Run();
    std::vector<double> losses = first.Recorded("train", "loss");
    for (const double loss : second.Recorded("train", "loss")) losses.push_back(loss);
    CHECK(losses == whole.Recorded("train", "loss"));
    CHECK(second.Recorded("val", "mae") == whole.Recorded("val", "mae"));
    const SavedRun one = whole.Save(), other = second.Save();
    for (const char* file : {"model.safetensors", "optimizer.safetensors", "ema.safetensors"})
      CHECK(Bytes(one.folder / file) == Bytes(other.folder / file));
  }
}

TEST_CASE("a run that begins with a checkpoint's folder takes the averages, and says so") {
  ScriptedRun run(Averaged({{"max_steps", 2}}), kShape);
  run.Run();
  const SavedRun saved = run.Save();
  const auto infos = [](const std::filesystem::path& init) {
    testing::TestOpenContext open;
    open.inputs["train"] = open.inputs["val"] = InfoOf(kShape);
    testing::Make<Consumer>(Plugin().Find("train.segmentation"),
                            Tiny({{"model/init", init.string()}}), open);
    return open.infos.at(0);
  };
  CHECK(infos(saved.folder)
            .ends_with(" entries from " + (saved.folder / "ema.safetensors").string()));
  CHECK(infos(saved.folder / "model.safetensors")
            .ends_with(" entries from " + (saved.folder / "model.safetensors").string()));
}

TEST_CASE("what is done with the averages is said: a run that has no validation only keeps them") {
  for (const bool validates : {true, false}) {
    CAPTURE(validates);
    ScriptedRun run(Averaged({{"max_steps", 1}}), kShape);
    run.streams.at("val").info.connected = validates;
    run.Run();
    const std::string due = std::string(validates ? "validates" : "keeps") +
                            " an average of the weights, decay 0.9; each checkpoint has it as "
                            "ema.safetensors";
    CHECK(std::count(run.infos.begin(), run.infos.end(), due) == 1);
  }
}

TEST_CASE("ema is of the training, so that a resumed run keeps it, and off by default") {
  for (const ParamSpec& param : Plugin().Find("train.segmentation").params) {
    if (param.name != "ema") continue;
    CHECK((param.effect == Effect::kTraining));
    CHECK_FALSE(param.per_phase);
    CHECK(param.default_value == Value(0.0));
    CHECK(param.min == 0);
    CHECK(param.max.value() < 1);
    return;
  }
  FAIL("there is no ema");
}

}  // namespace
}  // namespace flowtrain::train::test
