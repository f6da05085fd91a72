// resident_steps: a measurement that leaves no trace in what is kept.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "train/plugin.h"
#include "train/scripted_run.h"

namespace flowtrain::train::test {
namespace {

constexpr BatchShape kFourBatches{.rows = 2, .side = 64, .batches_per_epoch = 4};

TEST_CASE("the resident batch is measured after the last checkpoint, and nothing of it is kept") {
  ScriptedRun plain(Tiny({{"max_steps", 3}}), kFourBatches);
  plain.Run();
  const SavedRun expected = plain.Save();

  ScriptedRun run(Tiny({{"max_steps", 3}, {"resident_steps", 2}}), kFourBatches);
  run.Run();
  REQUIRE(run.checkpoints.size() == 1);
  CHECK(run.checkpoints[0].tag == "last");
  CHECK(run.checkpoints[0].step == 3);
  CHECK(run.streams.at("train").pulled == 3);
  CHECK(run.streams.at("train").committed == 3);
  CHECK(std::atof(run.summary_of("fed images/s").c_str()) > 0);
  CHECK(std::atof(run.summary_of("resident images/s").c_str()) > 0);
  CHECK(run.Recorded("measurement", "resident_images_per_s").size() == 1);
  CHECK_THROWS_WITH(run.Save(),
                    "the network has been trained on one batch, to measure: it is not kept");

  const auto content = [](const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string weights = content(expected.folder / "model.safetensors");
  CHECK(weights.size() > 1000);
  CHECK(content(run.run_dir() / "0" / "model.safetensors") == weights);
}

TEST_CASE("where training ended with an epoch, its checkpoint is the last") {
  ScriptedRun run(Tiny({{"epochs", 1}, {"resident_steps", 1}}),
                  {.rows = 2, .side = 64, .batches_per_epoch = 1});
  run.Run();
  REQUIRE(run.checkpoints.size() == 1);
  CHECK(run.checkpoints[0].tag == "epoch-0001");
  CHECK(std::atof(run.summary_of("resident images/s").c_str()) > 0);
}

}  // namespace
}  // namespace flowtrain::train::test
