#include <doctest/doctest.h>
#include <flowtrain/error.h>

#include <thread>
#include <vector>

#include "pipeline/run/checkpoint.h"
#include "pipeline/run/run_folder.h"
#include "run/temp_folder.h"

using namespace flowtrain;
using flowtrain::run::CheckpointStore;
using flowtrain::run::LineFile;
using flowtrain::run::RunFolder;
using flowtrain::testing::Slurp;
using flowtrain::testing::Spit;
using flowtrain::ScratchFolder;
using flowtrain::testing::Thrown;
namespace fs = std::filesystem;

namespace {

void Fail(const std::string& text) { FAIL(text); }

}  // namespace

TEST_CASE("runs that start in the same second get folders of their own") {
  ScratchFolder dir;
  std::vector<std::unique_ptr<RunFolder>> runs(12);
  std::vector<std::thread> threads;
  for (auto& run : runs)
    threads.emplace_back([&] { run = RunFolder::Create(dir.path() / "runs", "cod10k", Fail); });
  for (std::thread& t : threads) t.join();
  size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(dir.path() / "runs")) {
    CHECK(entry.path().filename().string().rfind("cod10k-20", 0) == 0);
    ++folders;
  }
  CHECK(folders == runs.size());
}

TEST_CASE("a name that could leave the folder is made harmless") {
  ScratchFolder dir;
  auto run = RunFolder::Create(dir.path(), "../my graph", Fail);
  CHECK(run->path().parent_path() == dir.path());
  CHECK(run->path().filename().string().rfind("run.._my_graph-", 0) == 0);
}

TEST_CASE("records are lines of JSON, there as soon as the call returns, and appended on resume") {
  ScratchFolder dir;
  fs::path path;
  {
    auto run = RunFolder::Create(dir.path(), "g", Fail);
    path = run->path();
    run->WriteGraph("{\"name\":\"g\"}");
    run->Record(Value(Value::Object{{"step", 1}, {"loss", 0.5}}));
    CHECK(Slurp(path / "metrics.jsonl") == "{\"step\":1,\"loss\":0.5}\n");
    run->RecordBad({2, 31, 7, "a \"b\".jpg", "decode", "truncated", "ends early"});
    CHECK(Slurp(path / "bad_samples.jsonl") ==
          "{\"epoch\":2,\"position\":31,\"index\":7,\"path\":\"a "
          "\\\"b\\\".jpg\",\"stage\":\"decode\","
          "\"reason\":\"truncated\",\"message\":\"ends early\"}\n");
    CHECK(Thrown<Error>([&] { RunFolder::Open(path, Fail); }) ==
          path.string() + ": another run writes into this folder; end it first");
  }
  RunFolder::Open(path, Fail)->Record(Value(Value::Object{{"step", 2}}));
  CHECK(Slurp(path / "metrics.jsonl") == "{\"step\":1,\"loss\":0.5}\n{\"step\":2}\n");
}

TEST_CASE("a line cut short by a kill does not spoil the next one") {
  ScratchFolder dir;
  Spit(dir.path() / "metrics.jsonl", "{\"step\":1}\n{\"st");
  LineFile(dir.path() / "metrics.jsonl").Append("{\"step\":2}");
  CHECK(Slurp(dir.path() / "metrics.jsonl") == "{\"step\":1}\n{\"st\n{\"step\":2}\n");
}

TEST_CASE("a record that can't be written is said once, by path, and ends nothing") {
  ScratchFolder dir;
  std::vector<std::string> warnings;
  auto run =
      RunFolder::Create(dir.path(), "g", [&](const std::string& w) { warnings.push_back(w); });
  fs::create_symlink("/dev/full", run->path() / "metrics.jsonl");
  for (int i = 0; i < 3; ++i) run->Record(Value(Value::Object{{"step", i}}));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find((run->path() / "metrics.jsonl").string() +
                         ": cannot be written: No space left on device") == 0);
}

TEST_CASE("folders that are none are refused by name") {
  ScratchFolder dir;
  CHECK(Thrown<Error>([&] {
          RunFolder::Open(dir.path() / "x", Fail);
        }).find("no such run folder") != std::string::npos);
  CHECK(Thrown<Error>([&] { RunFolder::Open(dir.path(), Fail); }).find("is no run folder") !=
        std::string::npos);
  Spit(dir.path() / "file", "");
  CHECK(Thrown<Error>([&] {
          RunFolder::Create(dir.path() / "file", "g", Fail);
        }).find((dir.path() / "file").string()) != std::string::npos);
}

TEST_CASE("the runs of a graph that have a checkpoint are offered, the newest first") {
  ScratchFolder dir;
  auto save = [&](const std::string& folder) {
    fs::create_directories(dir.path() / folder);
    CheckpointStore(dir.path() / folder, 3).Save("epoch-1", 0, [](const fs::path&) {
      return Value(Value::Object{{"step", 1}});
    });
  };
  CHECK(RunFolder::Resumable(dir.path(), "g").empty());
  CHECK(RunFolder::Resumable(dir.path() / "none", "g").empty());
  save("g-20260101-120000");
  save("g-20260101-120000-9");
  save("g-20260101-120000-10");
  fs::create_directories(
      dir.path() / "g-20260301-120000/checkpoints/.epoch-1.tmp-77");  // killed in its first save
  save("g-demo-20260401-120000");                                     // another graph's
  save("g-20260501");
  CHECK(RunFolder::Resumable(dir.path(), "g") ==
        std::vector<fs::path>{dir.path() / "g-20260101-120000-10", dir.path() / "g-20260101-120000-9",
                              dir.path() / "g-20260101-120000"});
  CHECK(RunFolder::Resumable(dir.path(), "g-demo") ==
        std::vector<fs::path>{dir.path() / "g-demo-20260401-120000"});
}
