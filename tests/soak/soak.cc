// Runs courses until so many samples have arrived, each once and in its place:
//   soak [--samples N] [--seed N]
// FLOWTRAIN_SOAK_SAMPLES is the number where --samples is not given. Exit 0: nothing was lost, nothing
// came twice, nothing hung, nothing was left behind.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/process_view.h"
#include "pipeline/config/graph_config.h"
#include "pipeline/graph/executor.h"
#include "soak/stages.h"
#include "soak/watchdog.h"

namespace flowtrain::soak {
namespace {

using Clock = std::chrono::steady_clock;
using graph::Outcome;

double Since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Host final : public graph::RunHost {
 public:
  Host(Totals& totals, std::optional<Value>& checkpoint) : totals_(totals), checkpoint_(checkpoint) {}
  void Info(const std::string&) override {}
  void Warn(const std::string& message) override {
    if (message.find("checkpoint") != std::string::npos) std::fprintf(stderr, "%s\n", message.c_str());
  }
  void Record(const Value&) override {}
  void BadSample(const graph::BadSampleInfo&) override { totals_.bad.fetch_add(1, std::memory_order_relaxed); }
  void Progress(const ProgressReport&, uint64_t, double) override {}
  void Opening(const std::string&, uint64_t, uint64_t) override {}
  void PhaseBegins(const PhaseInfo&, const std::string&) override {}
  void Summary(const std::string&, const std::string&, const std::string&) override {}
  void SaveCheckpoint(const std::string&, double, const std::function<Value(const std::filesystem::path&)>& writer) override {
    checkpoint_ = writer(".");
  }
  std::filesystem::path run_dir() const override { return "."; }
  std::filesystem::path cache_dir() const override { return "."; }

 private:
  Totals& totals_;
  std::optional<Value>& checkpoint_;
};

// Stops a run after a while, unless that ends first.
class Stopper {
 public:
  Stopper(graph::Executor& executor, std::chrono::microseconds after)
      : thread_([this, &executor, after] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, after, [this] { return over_; })) return;
          at_ = Clock::now();
          executor.Stop();
        }) {}
  // When it stopped the run, if it did.
  std::optional<Clock::time_point> Join() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
    return at_;
  }

 private:
  std::mutex mutex_;  // protects both below
  bool over_ = false;
  std::optional<Clock::time_point> at_;
  std::condition_variable changed_;
  std::thread thread_;
};

struct Counts {
  uint64_t courses = 0, runs = 0, resumes = 0;
  std::map<std::string, uint64_t> ends;  // as they came, not as they were drawn
  double slowest_stop_s = 0;
};

void CheckOutcome(const Outcome& outcome, const Scene& scene) {
  if (!outcome.abandoned.empty()) throw Broken("left behind: " + outcome.abandoned);
  if (outcome.kind == Outcome::kInterrupted && scene.end != End::kInterrupt) throw Broken("interrupted by nobody");
  if (outcome.kind != Outcome::kFailed) return;
  const bool drawn = scene.end != End::kTaken && scene.end != End::kInterrupt;
  const std::string says = scene.foreign ? "an exception that is no std::exception" : kInjected;
  if (!drawn || outcome.error.find(says) == std::string::npos) throw Broken("failed: " + outcome.error);
}

void CheckPools(const graph::Gate::Peaks& peaks, const Scene& scene) {
  if (peaks.tokens > 2 * scene.workers) throw Broken(std::to_string(peaks.tokens) + " compute tokens in use");
  if (peaks.read_ahead > scene.read_ahead) throw Broken(std::to_string(peaks.read_ahead) + " samples read ahead");
  if (peaks.slots > scene.slots) throw Broken(std::to_string(peaks.slots) + " slots in use");
}

// One run, from the last checkpoint on.
void RunOnce(Live& live, std::optional<Value>& checkpoint, const std::string& text, Counts& counts) {
  const auto declared = DeclareStages(live);
  const auto stage = [&declared](const std::string& type, std::vector<std::string>&, std::string&) {
    const auto found = declared.find(type);
    return found == declared.end() ? nullptr : &found->second;
  };
  const config::ValidatedGraph graph = config::LoadText(text, "soak.json", {}, {stage, {}});
  Host host(live.totals, checkpoint);
  metrics::RunMetrics metrics;
  graph::Executor executor(graph, host, metrics, {});
  const std::optional<Value> from = checkpoint;
  std::optional<Stopper> stopper;
  if (live.scene.end == End::kInterrupt) stopper.emplace(executor, std::chrono::microseconds(live.scene.stop_after_us));
  Outcome outcome;
  try {
    executor.Open(from ? &*from : nullptr);
    outcome = executor.Run();
    CheckPools(executor.peaks(), live.scene);
  } catch (const Cancelled&) {  // stopped before it was open
    outcome.kind = Outcome::kInterrupted;
  }
  const auto ended = Clock::now();
  if (stopper) {
    const auto stopped = stopper->Join();
    if (stopped && outcome.kind == Outcome::kInterrupted) {
      counts.slowest_stop_s = std::max(counts.slowest_stop_s, std::chrono::duration<double>(ended - *stopped).count());
    }
  }
  CheckOutcome(outcome, live.scene);
  if (outcome.kind == Outcome::kDone && live.batches < live.scene.batches) throw Broken("done before its last batch");
  ++counts.runs;
  counts.resumes += from ? 1 : 0;
  const bool foreign = outcome.kind == Outcome::kFailed && live.scene.foreign;
  ++counts.ends[outcome.kind == Outcome::kDone ? "taken"
                                               : NameOf(live.scene.end) + std::string(foreign ? " (no std::exception)" : "")];
}

void Print(const char* what, const Totals& totals, const Counts& counts, double seconds) {
  std::string ends;
  for (const auto& [end, count] : counts.ends) ends += (ends.empty() ? "" : ", ") + end + " " + std::to_string(count);
  const auto n = [](const std::atomic<uint64_t>& count) { return static_cast<unsigned long long>(count.load()); };
  std::printf(
      "%s: %llu samples, each once and in its place (%llu more came again after a resume, the same), in %llu "
      "courses, %llu runs (%s), %llu resumes, %llu checkpoints, %llu stalls, %llu bad samples, %llu fences, %.0f s; "
      "slowest end after an interrupt %.3f s\n",
      what, n(totals.rows), n(totals.again), static_cast<unsigned long long>(counts.courses),
      static_cast<unsigned long long>(counts.runs), ends.c_str(), static_cast<unsigned long long>(counts.resumes),
      n(totals.checkpoints), n(totals.stalls), n(totals.bad), n(totals.fences), seconds, counts.slowest_stop_s);
  std::fflush(stdout);
}

// What the process holds.
struct Holds {
  std::multiset<std::string> engine = testing::EngineThreads();
  std::ptrdiff_t threads = testing::Threads(), descriptors = testing::Descriptors();
  long allocated = testing::AllocatedKiB(), resident = testing::ResidentKiB();
};

void CheckHolds(const Holds& before, const Holds& after) {
  std::printf("threads %td -> %td, descriptors %td -> %td, allocated %ld -> %ld KiB, resident %ld -> %ld KiB\n",
              before.threads, after.threads, before.descriptors, after.descriptors, before.allocated, after.allocated,
              before.resident, after.resident);
  if (after.engine != before.engine) throw Broken("threads of the engine are left behind");
  if (after.threads > before.threads + 4) throw Broken("threads are left behind");  // oneTBB keeps workers
  if (after.descriptors != before.descriptors) throw Broken("descriptors are left behind");
  if (after.allocated - before.allocated > 500) throw Broken("memory is left behind");
}

int Soak(uint64_t samples, uint64_t seed) {
  std::printf("soak: --samples %llu --seed %llu\n", static_cast<unsigned long long>(samples), static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  Totals totals;
  Counts counts;
  Draw draw(seed);
  LateFences late;
  Watchdog watchdog(totals);
  const auto start = Clock::now();
  std::optional<Holds> warm;
  std::string on;
  try {
    for (uint64_t told = 1; totals.rows < samples; ++counts.courses) {
      const Course course = DrawCourse(draw);
      Live live(course, totals, late);
      std::optional<Value> checkpoint;
      const auto batch = static_cast<uint64_t>(course.batch);
      for (const uint64_t goal = (course.samples + batch - 1) / batch; live.saved[0] < goal;) {
        live.Begin(DrawScene(draw, course, (goal - live.saved[0]) * batch));
        const std::string text = GraphText(course, live.scene);
        on = "seed " + std::to_string(seed) + ", course " + std::to_string(counts.courses) + ", run " +
             std::to_string(counts.runs) + ", drawn to end: " + NameOf(live.scene.end) + ", from batch " +
             std::to_string(live.saved[0]) + " of " + std::to_string(goal) + "\n" + text;
        watchdog.Note(on);
        RunOnce(live, checkpoint, text, counts);
      }
      if (totals.rows * 10 >= samples * told) Print("so far", totals, counts, Since(start)), told = totals.rows * 10 / samples + 1;
      if (!warm && totals.rows * 5 >= samples) warm.emplace();  // arenas and workers have come by now
    }
    CheckHolds(*warm, Holds());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "BROKEN: %s\n%s\n", error.what(), on.c_str());
    return 1;
  }
  Print("nothing lost, nothing twice, no hang", totals, counts, Since(start));
  return 0;
}

int Main(int argc, char** argv) {
  const char* given = std::getenv("FLOWTRAIN_SOAK_SAMPLES");
  uint64_t samples = given != nullptr ? std::strtoull(given, nullptr, 10) : 20'000'000;
  uint64_t seed = std::random_device()();
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--samples") == 0) samples = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return Soak(samples, seed);
}

}  // namespace
}  // namespace flowtrain::soak

int main(int argc, char** argv) { return flowtrain::soak::Main(argc, argv); }
