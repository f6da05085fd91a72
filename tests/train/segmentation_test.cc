// train.segmentation's run: what it commits, keeps, records and leaves out.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "train/plugin.h"
#include <flowtrain/testing/consumer_runner.h>

#include "train/scripted_run.h"

namespace flowtrain::train::test {
namespace {

TEST_CASE(
    "every step and every validation is committed, and each epoch ends with a ranked checkpoint") {
  ScriptedRun run(Tiny(), kShape);
  run.Run();
  CHECK(run.streams.at("train").committed == 4);
  CHECK(run.streams.at("val").committed == 4);
  REQUIRE(run.checkpoints.size() == 2);
  CHECK(run.checkpoints[0].tag == "epoch-0001");
  CHECK(run.checkpoints[0].step == 2);
  CHECK(run.checkpoints[1].tag == "epoch-0002");
  CHECK(run.checkpoints[1].step == 4);
  CHECK(run.checkpoints[1].metric == run.Recorded("val", "iou").back());
  CHECK(run.Recorded("train", "step") == std::vector<double>{1, 2, 3, 4});
  CHECK(run.Recorded("train", "epoch") == std::vector<double>{1, 1, 2, 2});
  CHECK(run.Recorded("val", "images") == std::vector<double>{4, 4});
  for (const char* part :
       {"loss", "bce", "iou", "edge", "deep", "auxiliary", "lr", "gradient_norm", "images_per_s"}) {
    for (const double value : run.Recorded("train", part)) CHECK(std::isfinite(value));
  }
  CHECK(run.instruments.histograms["trainer_step_seconds"].values.size() == 4);
  CHECK(run.instruments.counters["samples_total"].value == 8);
  CHECK(run.instruments.gauges["epoch"].value == 2);
  CHECK(run.summary_of("device") == "cpu, float32, 1 thread");
  CHECK(run.summary_of("best IoU").find("(epoch ") != std::string::npos);
  CHECK(run.summary_of("resident images/s").empty());
}

TEST_CASE("a graph without validation keeps unranked checkpoints") {
  ScriptedRun run(Tiny(), kShape);
  run.streams.at("val").info = InputInfo{};
  run.Run();
  REQUIRE(run.checkpoints.size() == 2);
  CHECK(std::isnan(run.checkpoints[0].metric));
  CHECK(run.streams.at("val").pulled == 0);
}

TEST_CASE("validation comes every so many epochs, and after the last") {
  ScriptedRun run(Tiny({{"epochs", 3}, {"validate_every", 2}}),
                  {.rows = 2, .side = 64, .batches_per_epoch = 1});
  run.Run();
  REQUIRE(run.checkpoints.size() == 3);
  CHECK(std::isnan(run.checkpoints[0].metric));
  CHECK_FALSE(std::isnan(run.checkpoints[1].metric));
  CHECK_FALSE(std::isnan(run.checkpoints[2].metric));
  CHECK(run.Recorded("val", "epoch") == std::vector<double>{2, 3});
}

TEST_CASE("max_steps ends in mid-epoch, without a validation") {
  ScriptedRun run(Tiny({{"max_steps", 3}}), kShape);
  run.Run();
  CHECK(run.streams.at("train").committed == 3);
  CHECK(run.checkpoints.size() == 1);
  CHECK(run.Save().values.At("step").AsInteger() == 3);
}

// One epoch of one batch; the validation batch has `rows` rows, of which only row 1 counts.
std::vector<double> ValidationOf(const std::vector<RowId>& ids) {
  const BatchShape shape{.rows = static_cast<int>(ids.size()), .side = 64, .batches_per_epoch = 1};
  ScriptedRun run(Tiny({{"epochs", 1}}), shape);
  run.streams.at("train").make = [](uint64_t epoch, uint64_t index) {
    return FitContent({.rows = 2, .side = 64, .batches_per_epoch = 1}, epoch, index);
  };
  run.streams.at("val").make = [&](uint64_t epoch, uint64_t index) {
    BatchContent content = FitContent(shape, epoch, index);
    const size_t image = content.tensors[0].bytes() / ids.size(),
                 mask = content.tensors[1].bytes() / ids.size();
    const BatchContent one = FitContent({.rows = 1, .side = 64, .batches_per_epoch = 1}, 5, 5);
    for (size_t row = 0; row < ids.size(); ++row) {
      if (ids[row].bad || ids[row].padding) {
        // A row that must not count: its numbers would spoil any mean.
        for (float& x : content.tensors[0].as<float>().subspan(row * image / 4, image / 4))
          x = std::numeric_limits<float>::quiet_NaN();
        continue;
      }
      std::memcpy(static_cast<char*>(content.tensors[0].data) + row * image, one.tensors[0].data,
                  image);
      std::memcpy(static_cast<char*>(content.tensors[1].data) + row * mask, one.tensors[1].data,
                  mask);
    }
    content.ids = ids;
    return content;
  };
  run.Run();
  return {run.Recorded("val", "images").at(0), run.Recorded("val", "mae").at(0),
          run.Recorded("val", "iou").at(0)};
}

TEST_CASE("rows that are bad or padding are left out of a validation's metrics") {
  const std::vector<double> alone = ValidationOf({{}});
  CHECK(alone[0] == 1);
  CHECK(alone[1] > 0);
  RowId bad, padding;
  bad.bad = true;
  padding.padding = true;
  for (const auto& ids : {std::vector<RowId>{bad, {}, padding}, {{}, padding, bad}}) {
    const std::vector<double> marked = ValidationOf(ids);
    CHECK(marked[0] == 1);
    CHECK(marked[1] == doctest::Approx(alone[1]).epsilon(1e-4));
    CHECK(marked[2] == doctest::Approx(alone[2]).epsilon(1e-3));
  }
  const std::vector<double> none = ValidationOf({bad, bad});
  CHECK(none[0] == 0);
}

TEST_CASE(
    "rows that could not be decoded are left out of training, and a batch of only such ends it") {
  ScriptedRun run(Tiny({{"epochs", 1}}), {.rows = 3, .side = 64, .batches_per_epoch = 1});
  const auto make = run.streams.at("train").make;
  run.streams.at("train").make = [&](uint64_t epoch, uint64_t index) {
    BatchContent content = make(epoch, index);
    content.ids[1].bad = true;
    for (float& x : content.tensors[0].as<float>().subspan(64 * 64 * 3, 64 * 64 * 3))
      x = std::numeric_limits<float>::quiet_NaN();
    return content;
  };
  run.Run();
  CHECK(std::isfinite(run.Recorded("train", "loss").at(0)));
  CHECK(run.instruments.counters["samples_total"].value == 2);

  ScriptedRun lost(Tiny(), kShape);
  lost.streams.at("train").make = [](uint64_t epoch, uint64_t index) {
    BatchContent content = FitContent(kShape, epoch, index);
    for (RowId& id : content.ids) id.bad = true;
    return content;
  };
  CHECK_THROWS_WITH(lost.Run(),
                    "batch 0 of epoch 1 has no sample that could be decoded: set the source's "
                    "on_bad to \"replace\"");
}

TEST_CASE("a loss that is not finite ends the run, names the step, and is never kept") {
  ScriptedRun run(Tiny({{"log_every", 100}}), kShape);
  const auto make = run.streams.at("train").make;
  run.streams.at("train").make = [&](uint64_t epoch, uint64_t index) {
    BatchContent content = make(epoch, index);
    if (index == 1) content.tensors[0].as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
    return content;
  };
  CHECK_THROWS_WITH(run.Run(), "the loss or the gradient is not finite since step 2");
  CHECK(run.checkpoints.empty());
  CHECK_THROWS(run.Save());
}

TEST_CASE("batches that did not go through upload are refused with what to do") {
  ScriptedRun run(Tiny(), kShape);
  run.streams.at("train").make = [](uint64_t epoch, uint64_t index) {
    return ByteContent(kShape, epoch, index);
  };
  CHECK_THROWS_WITH(run.Run(),
                    "tensor \"image\" is uint8; allowed: float32 or bfloat16 [B, H, W, C], which "
                    "train.upload makes: put it "
                    "between staging and the trainer");
}

TEST_CASE("images too small for a network are refused at the start, at either input") {
  for (const char* port : {"train", "val"}) {
    testing::TestOpenContext open;
    BatchShape small = kShape;
    small.side = 16;
    open.inputs["train"] = open.inputs["val"] = InfoOf(kShape);
    open.inputs[port] = InfoOf(small);
    std::string why;
    try {
      testing::Make<Consumer>(Plugin().Find("train.segmentation"), Tiny(), open);
    } catch (const Error& error) {
      why = error.what();
    }
    CHECK(why == std::string("images of 16 x 16 px come in at \"") + port + "\"; networks take 32 px and more on each side");
  }
}

TEST_CASE("batches of one image are warned about, be it the last one only, and train") {
  const auto warnings = [](int batch, uint64_t samples) {
    testing::TestOpenContext open;
    InputInfo info = InfoOf(kShape);
    info.batch = batch;
    info.samples_per_epoch = samples;
    open.inputs["train"] = open.inputs["val"] = info;
    testing::Make<Consumer>(Plugin().Find("train.segmentation"), Tiny(), open);
    return open.warnings.size();
  };
  CHECK(warnings(1, 4) == 1);
  CHECK(warnings(4, 9) == 1);
  CHECK(warnings(4, 8) == 0);
  BatchShape one = kShape;
  one.rows = 1;
  ScriptedRun run(Tiny(), one);
  run.Run();
  CHECK(run.checkpoints.size() == 2);
}

TEST_CASE("a warm-up longer than the run is cut to it, and that is said") {
  testing::TestOpenContext open;
  open.inputs["train"] = open.inputs["val"] = InfoOf(kShape);
  testing::Make<Consumer>(Plugin().Find("train.segmentation"), Tiny({{"optimizer/warmup_epochs", 3}}),
                          open);
  REQUIRE(open.warnings.size() == 1);
  CHECK(open.warnings[0] ==
        "optimizer/warmup_epochs is more than the 2 epochs of the run: the learning rate rises to the end");
}

TEST_CASE("a later phase has its own rate, batches and epochs, and steps go on counting") {
  testing::TestOpenContext open;
  InputInfo info = InfoOf(kShape);
  open.phase_info = {.index = 0, .count = 2, .name = "a", .first_epoch = 0, .epochs = 1};
  open.inputs["train"] = info;
  open.inputs["val"] = {};
  const auto& declaration = Plugin().Find("train.segmentation");
  const auto trainer = testing::Make<Consumer>(declaration, Tiny({{"epochs", 9}}), open);

  testing::TestRunContext run("unused");
  run.phase_info = open.phase_info;
  run.inputs = open.inputs;
  for (uint64_t i = 0; i < 2; ++i) {
    BatchContent content = FitContent(kShape, 0, i);
    run.batches["train"].push_back(Batch::Create(std::move(content)));
  }
  trainer->Run(run);
  CHECK(run.commits.size() == 2);

  open.phase_info = {.index = 1, .count = 2, .name = "b", .first_epoch = 1, .epochs = 1};
  open.inputs["train"].batches_per_epoch = 3;
  Value rate;
  rate.Set("lr", 1e-3);
  rate.Set("min_lr", 1e-3);
  rate.Set("warmup_epochs", 0);
  testing::TestOpenContext ignored;
  ignored.inputs = open.inputs;
  const auto planned =
      declaration.create(testing::WithDefaults(declaration, Tiny({{"optimizer", rate}})));
  trainer->EnterPhase(dynamic_cast<const Consumer&>(*planned), open);
  run.phase_info = open.phase_info;
  run.inputs = open.inputs;
  for (uint64_t i = 0; i < 3; ++i)
    run.batches["train"].push_back(Batch::Create(FitContent(kShape, 1, i)));
  trainer->Run(run);
  CHECK(run.commits.size() == 5);
  CHECK(run.checkpoints == std::vector<std::string>{"epoch-0001", "epoch-0002"});
  const Value& last = run.records.back();
  CHECK(last.At("step").AsInteger() == 5);
  CHECK(last.At("epoch").AsInteger() == 2);
  CHECK(last.At("lr").AsNumber() == 1e-3);
}

}  // namespace
}  // namespace flowtrain::train::test
