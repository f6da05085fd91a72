#include <doctest/doctest.h>
#include <flowtrain/error.h>

#include <cmath>
#include <limits>
#include <set>

#include "pipeline/run/checkpoint.h"
#include "run/temp_folder.h"
#include "run/written_checkpoint.h"

using namespace flowtrain;
using flowtrain::run::CheckpointStore;
using flowtrain::testing::NoWarning;
using flowtrain::testing::Slurp;
using flowtrain::testing::Spit;
using flowtrain::ScratchFolder;
using flowtrain::testing::Thrown;
using flowtrain::testing::Write;
namespace fs = std::filesystem;

namespace {

constexpr double kUnranked = std::numeric_limits<double>::quiet_NaN();

std::set<std::string> Names(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder))
    out.insert(entry.path().filename().string());
  return out;
}

}  // namespace

TEST_CASE("a checkpoint comes back as it was saved") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 3);
  const fs::path folder = store.Save("epoch-1", 0.5, [](const fs::path& f) {
    Spit(f / "model.safetensors", "weights");
    return Value(Value::Object{
        {"step", 7}, {"lr", 2.5e-4}, {"text", "a \"quoted\" one"}, {"list", Value::List{1, 2}}});
  });
  CHECK(folder == run.path() / "checkpoints" / "epoch-1");
  const run::LoadedCheckpoint loaded = CheckpointStore::Load(folder, NoWarning);
  CHECK(loaded.tag == "epoch-1");
  CHECK(loaded.metric == 0.5);
  CHECK(loaded.state.At("step").AsInteger() == 7);
  CHECK(loaded.state.At("lr").AsNumber() == 2.5e-4);
  CHECK(loaded.state.At("text").AsString() == "a \"quoted\" one");
  CHECK(Slurp(loaded.folder / "model.safetensors") == "weights");
  CHECK(fs::read_symlink(run.path() / "checkpoints/latest") ==
        "epoch-1");  // relative: the folder may be moved
  CHECK(std::isnan(CheckpointStore::Load(store.Save("epoch-2", kUnranked, Write(8)), NoWarning).metric));
}

TEST_CASE("the newest ones are kept, and the best one besides") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 2);
  const double metrics[] = {0.1, 0.9, 0.3, 0.4, 0.2};
  for (int i = 0; i < 5; ++i) store.Save("epoch-" + std::to_string(i), metrics[i], Write(i));
  CHECK(Names(run.path() / "checkpoints") ==
        std::set<std::string>{"epoch-1", "epoch-3", "epoch-4", "latest", "best"});
  CHECK(fs::read_symlink(run.path() / "checkpoints/best") == "epoch-1");
  CHECK(fs::read_symlink(run.path() / "checkpoints/latest") == "epoch-4");
  CHECK(store.Best()->filename() == "epoch-1");
  store.Save("epoch-5", 0.95, Write(5));
  CHECK(Names(run.path() / "checkpoints") ==
        std::set<std::string>{"epoch-4", "epoch-5", "latest", "best"});
}

TEST_CASE("unranked checkpoints never become the best") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 5);
  store.Save("interrupt", kUnranked, Write(1));
  CHECK(!store.Best());
  CHECK(!fs::exists(fs::symlink_status(run.path() / "checkpoints/best")));
  store.Save("epoch-1", -3, Write(2));
  store.Save("end", kUnranked, Write(3));
  CHECK(store.Best()->filename() == "epoch-1");
  CHECK(store.Latest()->filename() == "end");
}

TEST_CASE("a tag that exists is replaced as a whole") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 3);
  store.Save("interrupt", 0.9, [](const fs::path& f) {
    Spit(f / "old-only", "x");
    return Value(Value::Object{{"step", 1}});
  });
  store.Save("interrupt", 0.2, Write(2));
  CHECK(Names(run.path() / "checkpoints") == std::set<std::string>{"interrupt", "latest", "best"});
  CHECK(Names(run.path() / "checkpoints/interrupt") ==
        std::set<std::string>{"model.safetensors", "state.json"});
  CHECK(CheckpointStore::Load(*store.Best(), NoWarning).metric == 0.2);
}

TEST_CASE("a resumed run goes on counting, so that the newest is the newest") {
  ScratchFolder run;
  CheckpointStore(run.path(), 2).Save("b", 0.9, Write(1));
  CheckpointStore(run.path(), 2).Save("a", 0.1, Write(2));
  CheckpointStore store(run.path(), 2);
  CHECK(store.Latest()->filename() == "a");
  CHECK(store.Best()->filename() == "b");
  CHECK(CheckpointStore::Load(run.path(), NoWarning).folder == run.path() / "checkpoints/a");
  CHECK(CheckpointStore::Load(run.path() / "checkpoints/b", NoWarning).folder == run.path() / "checkpoints/b");
  fs::remove(run.path() / "checkpoints/latest");  // a link is for people; nothing depends on it
  CHECK(CheckpointStore::Load(run.path(), NoWarning).folder == run.path() / "checkpoints/a");
}

TEST_CASE("tags that could leave the folder or clash are refused") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 2);
  for (const char* bad : {"", ".", "..", ".x", "a/b", "../x", "latest", "best", "a b"}) {
    CAPTURE(bad);
    CHECK(Thrown<Error>([&] { store.Save(bad, 0, Write(1)); }).find("a tag is letters") !=
          std::string::npos);
  }
  CHECK(Names(run.path() / "checkpoints").empty());
}

TEST_CASE("what is not whole is refused by the name of the file at fault") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 5);
  const fs::path folder = store.Save("epoch-1", 0.5, Write(1));
  const std::string state = Slurp(folder / "state.json");
  auto refusal = [&] { return Thrown<Error>([&] { CheckpointStore::Load(folder, NoWarning); }); };

  Spit(folder / "model.safetensors", "weig");
  CHECK(refusal() == (folder / "model.safetensors").string() + ": holds 4 bytes, 9 were written");
  fs::remove(folder / "model.safetensors");
  CHECK(refusal() ==
        (folder / "model.safetensors").string() + ": missing, the checkpoint is not whole");
  CHECK(Thrown<Error>([&] { CheckpointStore::Load(run.path(), NoWarning); }).find("holds no checkpoint") !=
        std::string::npos);
  Spit(folder / "model.safetensors", "weights 1");
  Spit(folder / "state.json", state.substr(0, state.size() / 2));
  CHECK(refusal() ==
        (folder / "state.json").string() + ": cut short or damaged, it is no JSON text");
  Spit(folder / "state.json", "{}");
  CHECK(refusal().find((folder / "state.json").string() + ": ") == 0);
  Spit(folder / "state.json", "{\"format\": 1}");
  CHECK(refusal().find("format 1 was written by another version") != std::string::npos);
  fs::remove(folder / "state.json");
  CHECK(refusal().find("holds no checkpoint") != std::string::npos);
  CHECK(Thrown<Error>([&] { CheckpointStore::Load(folder / "x", NoWarning); }) ==
        (folder / "x").string() + ": no such run folder or checkpoint");
}

TEST_CASE("a checkpoint with one changed byte is passed over, and the file named") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 5);
  store.Save("epoch-1", 0.5, Write(1));
  const fs::path folder = store.Save("epoch-2", 0.5, Write(2));
  const std::string state = Slurp(folder / "state.json");
  const auto damaged = [&](const fs::path& file) {
    std::vector<std::string> warnings;
    const auto keep = [&](const std::string& warning) { warnings.push_back(warning); };
    CHECK(CheckpointStore::Load(run.path(), keep).tag == "epoch-1");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find(file.string() + ": ") != std::string::npos);
    CHECK_THROWS_AS(CheckpointStore::Load(folder, keep), Error);
  };
  Spit(folder / "model.safetensors", "weights 3");
  damaged(folder / "model.safetensors");
  Spit(folder / "model.safetensors", "weights 2");
  std::string other = state;
  other.replace(other.find("\"step\":2"), 8, "\"step\":3");
  Spit(folder / "state.json", other);
  damaged(folder / "state.json");
  Spit(folder / "state.json", state.substr(0, 5));
  damaged(folder / "state.json");
  Spit(folder / "state.json", state);
  CHECK(CheckpointStore::Load(run.path(), NoWarning).tag == "epoch-2");
}
