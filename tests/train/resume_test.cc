// Interrupts and what goes on after them.
#include <doctest/doctest.h>

#include "train/plugin.h"
#include "train/scripted_run.h"

namespace flowtrain::train::test {
namespace {

// The losses and validations of a run that is interrupted by `interrupt`, saved, and resumed.
struct Halves {
  std::vector<double> losses, ious;
  std::vector<std::string> tags;
};

Halves Resumed(const std::function<void(ScriptedRun&)>& interrupt) {
  ScriptedRun first(Tiny(), kShape);
  interrupt(first);
  first.Run();
  const SavedRun saved = first.Save();
  ScriptedRun second(Tiny(), kShape, &saved);
  second.Run();
  Halves halves;
  for (ScriptedRun* run : {&first, &second}) {
    for (const double loss : run->Recorded("train", "loss")) halves.losses.push_back(loss);
    for (const double iou : run->Recorded("val", "iou")) halves.ious.push_back(iou);
    for (const ScriptedRun::Kept& kept : run->checkpoints) halves.tags.push_back(kept.tag);
  }
  CHECK(second.streams.at("train").committed == 4);
  CHECK(second.streams.at("val").committed == 4);
  return halves;
}

TEST_CASE("a run resumed anywhere has the losses and metrics of the undisturbed one") {
  ScriptedRun whole(Tiny(), kShape);
  whole.Run();
  const std::vector<double> losses = whole.Recorded("train", "loss"),
                            ious = whole.Recorded("val", "iou");
  const std::vector<std::string> tags = {"epoch-0001", "epoch-0002"};
  SUBCASE("interrupted in the middle of an epoch") {
    const Halves halves = Resumed([](ScriptedRun& run) { run.streams.at("train").stop_at = 3; });
    CHECK(halves.losses == losses);
    CHECK(halves.ious == ious);
    CHECK(halves.tags == tags);
  }
  SUBCASE("interrupted in the middle of a validation, which starts again") {
    const Halves halves = Resumed([](ScriptedRun& run) { run.streams.at("val").stop_at = 1; });
    CHECK(halves.losses == losses);
    CHECK(halves.ious == ious);
    CHECK(halves.tags == tags);
  }
  SUBCASE("interrupted before the first step") {
    const Halves halves = Resumed([](ScriptedRun& run) { run.streams.at("train").stop_at = 0; });
    CHECK(halves.losses == losses);
    CHECK(halves.tags == tags);
  }
}

TEST_CASE("an interrupted validation commits nothing, and the resumed run begins with it") {
  ScriptedRun first(Tiny(), kShape);
  first.streams.at("val").stop_at = 1;
  first.Run();
  CHECK(first.streams.at("val").pulled == 1);
  CHECK(first.streams.at("val").committed == 0);
  CHECK(first.checkpoints.empty());
  const SavedRun saved = first.Save();
  CHECK(saved.committed.at("train") == 2);
  ScriptedRun second(Tiny(), kShape, &saved);
  second.streams.at("train").stop_at = 2;
  second.Run();
  CHECK(second.Recorded("val", "epoch") == std::vector<double>{1});
  CHECK(second.Recorded("val", "images") == std::vector<double>{4});
  CHECK(second.checkpoints.at(0).tag == "epoch-0001");
}

TEST_CASE("a finished run that is resumed does nothing") {
  ScriptedRun first(Tiny({{"epochs", 1}}), kShape);
  first.Run();
  const SavedRun saved = first.Save();
  ScriptedRun second(Tiny({{"epochs", 1}}), kShape, &saved);
  second.Run();
  CHECK(second.streams.at("train").pulled == saved.committed.at("train"));
  CHECK(second.checkpoints.empty());
  CHECK(second.summary_of("best IoU") == first.summary_of("best IoU"));
}

TEST_CASE("the number of threads that 0 came to is kept when a run is resumed") {
  ScriptedRun first(Tiny({{"cpu_threads", 2}, {"max_steps", 1}}), kShape);
  first.Run();
  const SavedRun saved = first.Save();
  ScriptedRun second(Tiny({{"cpu_threads", 0}, {"max_steps", 1}}), kShape,
                     &saved);  // one CPU is granted here
  second.Run();
  CHECK(second.summary_of("device") == "cpu, float32, 2 threads");
  CHECK(second.Save().values.At("cpu_threads").AsInteger() == 2);
}

}  // namespace
}  // namespace flowtrain::train::test
