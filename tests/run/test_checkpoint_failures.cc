#include <doctest/doctest.h>
#include <flowtrain/error.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "pipeline/run/checkpoint.h"
#include "pipeline/run/files.h"
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

Value State(int step) { return Value(Value::Object{{"step", step}}); }

int64_t StepOf(const fs::path& run) {
  return CheckpointStore::Load(run, NoWarning).state.At("step").AsInteger();
}

bool HasHidden(const fs::path& run) {
  for (const auto& entry : fs::directory_iterator(run / "checkpoints"))
    if (entry.path().filename().string()[0] == '.') return true;
  return false;
}

}  // namespace

TEST_CASE(
    "a writer that fails leaves the earlier checkpoint, no trace, and an error with path and "
    "reason") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 3);
  store.Save("epoch-1", 0.5, Write(1));
  for (const char* tag : {"epoch-1", "epoch-2"}) {
    const std::string what = Thrown<Error>([&] {
      store.Save(tag, 0.9, [](const fs::path& folder) -> Value {
        Spit(folder / "model.safetensors", "half");
        errno = ENOSPC;
        run::ThrowErrno(folder / "optimizer.safetensors", "cannot be written");
      });
    });
    CHECK(what.find("checkpoint " + (run.path() / "checkpoints" / tag).string() + ": ") == 0);
    CHECK(what.find("No space left on device") != std::string::npos);
    CHECK(StepOf(run.path()) == 1);
    CHECK(!HasHidden(run.path()));
  }
  store.Save("epoch-2", 0.9, Write(2));  // and saving goes on as soon as it can
  CHECK(StepOf(run.path()) == 2);
}

TEST_CASE("of an error with a backtrace only the first line is told") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 3);
  const std::string what = Thrown<Error>([&] {
    store.Save("a", 0, [](const fs::path&) -> Value {
      throw std::runtime_error("cause\nframe 1\nframe 2");
    });
  });
  CHECK(what == "checkpoint " + (run.path() / "checkpoints/a").string() + ": cause");
}

TEST_CASE("a real full disk leaves the earlier checkpoint") {
  ScratchFolder run;
  const fs::path small = run.path() / "small";
  fs::create_directory(small);
  if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=256k") != 0) {
    MESSAGE("skipped: a small file system can't be mounted here: ", std::strerror(errno));
    return;
  }
  CheckpointStore store(small, 3);
  store.Save("epoch-1", 0.5, Write(1));
  const std::string what = Thrown<Error>([&] {
    store.Save("epoch-2", 0.9, [](const fs::path& folder) {
      run::WriteFile(folder / "model.safetensors", std::string(1 << 20, 'x'));
      return State(2);
    });
  });
  CHECK(what.find("No space left on device") != std::string::npos);
  CHECK(StepOf(small) == 1);
  CHECK(!HasHidden(small));
  store.Save("epoch-2", 0.9, Write(2));
  CHECK(StepOf(small) == 2);
  umount(small.c_str());
}

TEST_CASE("a checkpoint folder that can't be made is told by name") {
  ScratchFolder run;
  Spit(run.path() / "checkpoints", "a file in its place");
  const std::string what = Thrown<Error>([&] { CheckpointStore store(run.path(), 3); });
  CHECK(what.find((run.path() / "checkpoints").string()) == 0);

  fs::remove(run.path() / "checkpoints");
  CheckpointStore store(run.path(), 3);
  fs::remove(run.path() / "checkpoints");
  Spit(run.path() / "checkpoints", "a file in its place");
  CHECK(Thrown<Error>([&] {
          store.Save("a", 0, Write(1));
        }).find((run.path() / "checkpoints/a").string()) != std::string::npos);
}

TEST_CASE("a kill in the middle of a save leaves the earlier checkpoint, whatever the tag") {
  for (const char* tag : {"epoch-1", "epoch-2"}) {
    CAPTURE(tag);
    ScratchFolder run;
    CheckpointStore(run.path(), 3).Save("epoch-1", 0.5, Write(1));
    const pid_t child = fork();
    if (child == 0) {
      CheckpointStore(run.path(), 3).Save(tag, 0.9, [](const fs::path& folder) -> Value {
        Spit(folder / "model.safetensors", "half of it");
        kill(getpid(), SIGKILL);
        return {};
      });
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    CHECK(HasHidden(run.path()));  // the kill did hit in the middle
    CHECK(StepOf(run.path()) == 1);
    CheckpointStore store(run.path(), 3);
    CHECK(!HasHidden(run.path()));
    store.Save(tag, 0.9, Write(2));
    CHECK(StepOf(run.path()) == 2);
  }
}

TEST_CASE("kills at any moment leave a whole checkpoint that is the last or the one before") {
  ScratchFolder run;
  CheckpointStore(run.path(), 2).Save("same", 0, Write(0));
  const std::string progress = (run.path() / "done").string();
  int64_t last = 0;
  for (int round = 0; round < 25; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      CheckpointStore store(run.path(), 2);
      for (int step = static_cast<int>(last) + 1;; ++step) {
        store.Save("same", 0, Write(step));
        Spit(progress + "-new", std::to_string(step));
        fs::rename(progress + "-new", progress);  // or a kill would leave it empty
      }
    }
    usleep(static_cast<useconds_t>(2000 + 1700 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string told = fs::exists(progress) ? Slurp(progress) : "";
    // A child that was killed before it told anything leaves what an earlier one told.
    const int64_t reported = std::max<int64_t>(last, told.empty() ? 0 : std::stoll(told));
    const int64_t found = StepOf(run.path());
    CHECK(found >= reported);
    CHECK(found <= reported + 1);  // killed between the save and the telling
    last = found;
  }
  CHECK(last > 0);
}

TEST_CASE("a checkpoint that was moved aside when the run was killed comes back") {
  ScratchFolder run;
  CheckpointStore(run.path(), 3).Save("epoch-1", 0.5, Write(1));
  fs::rename(run.path() / "checkpoints/epoch-1", run.path() / "checkpoints/.epoch-1.old-1234");
  CheckpointStore store(run.path(), 3);
  CHECK(store.Latest()->filename() == "epoch-1");
  CHECK(StepOf(run.path()) == 1);
}

TEST_CASE("what fails after a checkpoint was put in place is said, and takes nothing back") {
  ScratchFolder run;
  std::vector<std::string> warnings;
  CheckpointStore store(run.path(), 1, [&](const std::string& w) { warnings.push_back(w); });
  // No link can be renamed onto a folder.
  fs::create_directories(run.path() / "checkpoints/latest/in-the-way");
  CHECK(store.Save("epoch-1", 0.5, Write(1)) == run.path() / "checkpoints/epoch-1");
  CHECK(StepOf(store.Save("epoch-2", 0.9, Write(2))) == 2);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[1].find("a checkpoint was written, but links can't be set: ") != std::string::npos);
  CHECK(!fs::exists(run.path() / "checkpoints/epoch-1"));  // pruning goes on
  CHECK(!HasHidden(run.path()));
}

TEST_CASE("an old checkpoint that can't be removed fails no save, and the others go") {
  ScratchFolder run;
  std::vector<std::string> warnings;
  CheckpointStore store(run.path(), 1, [&](const std::string& w) { warnings.push_back(w); });
  store.Save("epoch-1", 0.1, Write(1));
  const fs::path held = run.path() / "checkpoints/epoch-1";
  if (mount(held.c_str(), held.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    MESSAGE("skipped: a folder can't be mounted here: ", std::strerror(errno));
    return;
  }
  for (int step = 2; step < 5; ++step) store.Save("epoch-" + std::to_string(step), 0.1 * step, Write(step));
  CHECK(StepOf(run.path()) == 4);
  CHECK(warnings.size() == 3);
  CHECK(fs::exists(held));
  CHECK(!fs::exists(run.path() / "checkpoints/epoch-2"));
  umount(held.c_str());
  store.Save("epoch-5", 0.9, Write(5));
  CHECK(!fs::exists(held));  // tried again with the next
}

TEST_CASE("a checkpoint whose list of files is damaged is passed over and named") {
  ScratchFolder run;
  CheckpointStore store(run.path(), 3);
  store.Save("epoch-1", 0.5, Write(1));
  store.Save("epoch-2", 0.9, Write(2));
  const fs::path file = run.path() / "checkpoints/epoch-2/state.json";
  std::string text = Slurp(file);
  text.replace(text.find("\"bytes\""), 7, "\"byts\"");
  Spit(file, text);
  std::vector<std::string> warnings;
  const run::LoadedCheckpoint loaded =
      CheckpointStore::Load(run.path(), [&](const std::string& w) { warnings.push_back(w); });
  CHECK(loaded.tag == "epoch-1");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find(file.string() + ": there is no \"bytes\"") != std::string::npos);
}
