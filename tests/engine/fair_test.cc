// What the engine takes of the machine: the CPUs it was granted, few descriptors.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>

#include <fstream>

#include "engine/harness.h"
#include "engine/process_view.h"
#include "pipeline/graph/granted_cpus.h"

using namespace flowtrain;
using namespace flowtrain::testing;
namespace fs = std::filesystem;

namespace {

fs::path Scratch(const char* name) {
  const fs::path folder = fs::temp_directory_path() /
                          (std::string("flowtrain-") + name + "-" + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

void Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

int AllowedCpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  return CPU_COUNT(&mask);
}

// Runs `body` on a thread that may use `cpus` of the CPUs there are.
void OnSomeCpus(int cpus, const std::function<void()>& body) {
  std::thread([&] {
    cpu_set_t all, few;
    CPU_ZERO(&all);
    CPU_ZERO(&few);
    sched_getaffinity(0, sizeof all, &all);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&few) < cpus; ++cpu) {
      if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &few);
    }
    REQUIRE(sched_setaffinity(0, sizeof few, &few) == 0);
    body();
  }).join();
}

}  // namespace

TEST_CASE("a run on one CPU of many has one worker, and says why") {
  OnSomeCpus(1, [] {
    const graph::GrantedCpus granted = graph::FindGrantedCpus("/nowhere");
    CHECK(granted.count == 1);
    CHECK(granted.why == "1 CPU by the affinity mask");
    Script script;
    script.run = TakeBatches(10);
    ScriptedRun run(script, {.run = ""});  // no "threads"
    CHECK(run.Run().hashes.size() == 10);
    CHECK(run.executor().workers() == 1);
    CHECK(Holds(run.executor().settings(), "workers     1, tokens 2 (1 CPU by "));
  });
}

TEST_CASE("a run has as many workers as its affinity mask has CPUs, where no quota is smaller") {
  const graph::GrantedCpus granted = graph::FindGrantedCpus("/nowhere");
  CHECK(granted.count == AllowedCpus());
  CHECK(granted.why == std::to_string(AllowedCpus()) + (AllowedCpus() == 1 ? " CPU" : " CPUs") +
                           " by the affinity mask");
}

TEST_CASE("the tightest cpu.max from the process' cgroup up to the root counts, and is named") {
  if (AllowedCpus() < 2) return;  // a quota below one CPU is one worker as well
  const fs::path root = Scratch("cgroup");
  Write(root / "proc/self/cgroup", "0::/pod/job");
  CHECK(graph::FindGrantedCpus(root).count == AllowedCpus());
  Write(root / "sys/fs/cgroup/pod/job/cpu.max", "max 100000");
  Write(root / "sys/fs/cgroup/pod/cpu.max", "90000 100000");
  const graph::GrantedCpus granted = graph::FindGrantedCpus(root);
  CHECK(granted.count == 1);
  CHECK(granted.why == "0.9 CPUs by the cgroup's cpu.max");
  Write(root / "sys/fs/cgroup/pod/job/cpu.max", "50000 100000");
  CHECK(graph::FindGrantedCpus(root).why == "0.5 CPUs by the cgroup's cpu.max");
  Write(root / "sys/fs/cgroup/pod/job/cpu.max", "6400000 100000");
  Write(root / "sys/fs/cgroup/pod/cpu.max", "max 100000");
  CHECK(graph::FindGrantedCpus(root).count ==
        AllowedCpus());  // a quota above the mask grants no more
  fs::remove_all(root);
}

TEST_CASE("a quota of cgroup version 1 counts too, and -1 is none") {
  if (AllowedCpus() < 2) return;
  const fs::path root = Scratch("cgroup-v1");
  Write(root / "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  Write(root / "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  CHECK(graph::FindGrantedCpus(root).count == AllowedCpus());
  Write(root / "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000");
  CHECK(graph::FindGrantedCpus(root).count == 1);
  fs::remove_all(root);
}

TEST_CASE("a run of 32 I/O threads that read files works with 64 descriptors") {
  const fs::path folder = Scratch("files");
  for (int i = 0; i < 50; ++i) Write(folder / std::to_string(i), std::string(5000, 'x'));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = 64;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::atomic<long> most{0};
  {
    Script script;
    script.size = 50;
    script.on_read = [&](uint64_t index, ReadContext& context) {
      // Outside of the check: the run's end cancels reads, and that is no failure.
      const size_t size = context.ReadFile(folder / std::to_string(index)).size;
      CHECK(size == 5001);
      if (script.reads % 64 == 0) most = std::max<long>(most, Descriptors());
    };
    script.run = TakeBatches(200);
    const Settings settings{.source = R"("io_threads": 32, "read_ahead": 64)",
                            .run = R"("threads": 16)",
                            .device = true};
    const Result result = ScriptedRun(script, settings).Run();
    CHECK(result.outcome.error == "");
    CHECK(result.hashes.size() == 200);
  }
  setrlimit(RLIMIT_NOFILE, &before);
  MESSAGE("800 files read by 32 threads; at most ", most.load(), " descriptors seen");
  fs::remove_all(folder);
}

TEST_CASE("a read that finds no descriptor free is tried again, not an end") {
  const fs::path folder = Scratch("one-file");
  Write(folder / "0", "x");
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  Script script;
  std::atomic<bool> scarce{false};
  script.on_read = [&](uint64_t, ReadContext& context) {
    if (script.reads == 10) {
      rlimit none = before;
      none.rlim_cur = 3;
      setrlimit(RLIMIT_NOFILE, &none);
      scarce = true;
    }
    if (script.reads > 11) setrlimit(RLIMIT_NOFILE, &before);
    context.ReadFile(folder / "0");
  };
  script.run = TakeBatches(10);
  const Result result = ScriptedRun(script, {.source = R"("io_threads": 1)"}).Run();
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(scarce);
  CHECK(result.outcome.error == "");
  CHECK(script.reads > 11);
  fs::remove_all(folder);
}
