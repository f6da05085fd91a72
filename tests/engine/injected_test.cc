// Delays, slow reads, bad samples, errors, late fences and interrupts, drawn at random for graphs
// drawn at random.
#include <doctest/doctest.h>

#include <random>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;

TEST_CASE("whatever is injected and whenever it is stopped, a run ends, in order and once") {
  std::mt19937 random(20240601);  // of the scenes only; the engine draws its own
  int done = 0, failed = 0, interrupted = 0;
  for (int scene = 0; scene < 150; ++scene) {
    CAPTURE(scene);
    const auto below = [&](uint32_t n) { return random() % n; };
    Script script;
    script.size = 8 + below(60);
    const uint32_t bad = below(3) == 0 ? 5 + below(7) : 0;
    const uint64_t error_at = below(3) == 0 ? below(400) : UINT64_MAX;
    const uint32_t delay = below(3) * 150;
    script.on_read = [=, &script](uint64_t index, ReadContext&) {
      if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(index * 7919 % delay));
      if (script.reads == error_at) throw Error("injected");
      if (bad > 0 && index % bad == 3) throw BadSample("broken", "sample");
    };
    script.on_process = [=](Sample& sample, Context&) {
      if (delay > 0)
        std::this_thread::sleep_for(std::chrono::microseconds(sample.id.index * 31 % delay));
      if (bad > 0 && sample.id.index % bad == 2) throw BadSample("broken", "sample");
    };
    std::vector<std::thread> late;
    std::atomic<int> fences{0};
    const bool fenced = below(2) == 0;
    uint64_t expected = 0;
    bool in_order = true;
    script.run = TakeBatches(10 + below(60), [&](const Batch& batch) {
      in_order &= batch.epoch() * batch.content().batches_per_epoch + batch.index() == expected++;
      if (!fenced || fences++ > 20) return;
      auto fence = std::make_shared<ManualFence>();
      batch.ReleaseAfter(fence);
      late.emplace_back([fence] {
        std::this_thread::sleep_for(std::chrono::microseconds(700));
        fence->Pass();
      });
    });
    Settings settings;
    settings.device = below(2) == 0;
    settings.second_chain = below(3) == 0;
    settings.observer = below(3) == 0;
    settings.staging = R"("batch": )" + std::to_string(1 + below(6)) + R"(, "slots": )" +
                       std::to_string(1 + below(4));
    settings.source = R"("sampler": {"shuffle": true}, "io_threads": )" +
                      std::to_string(1 + below(4)) + R"(, "read_ahead": )" +
                      std::to_string(1 + below(9));
    settings.run =
        R"("max_bad_share": 1, "stall_timeout": 10, "threads": )" + std::to_string(1 + below(4));
    const bool stops = below(3) == 0;
    const milliseconds stop_after(below(30));
    {
      ScriptedRun run(script, settings);
      std::thread stopper([&] {
        std::this_thread::sleep_for(stop_after);
        if (stops) run.executor().Stop();
      });
      graph::Outcome outcome;
      try {
        outcome = run.Run().outcome;
      } catch (const Cancelled&) {  // stopped before it was open
        outcome.kind = Outcome::kInterrupted;
      }
      stopper.join();
      CHECK(outcome.abandoned == "");
      CHECK(in_order);
      if (outcome.kind == Outcome::kFailed) {
        CAPTURE(outcome.error);
        CHECK((Holds(outcome.error, "injected") || Holds(outcome.error, "replacements in a row")));
      }
      (outcome.kind == Outcome::kDone     ? done
       : outcome.kind == Outcome::kFailed ? failed
                                          : interrupted)++;
    }
    for (std::thread& thread : late) thread.join();
  }
  MESSAGE(done, " runs done, ", failed, " failed, ", interrupted, " interrupted");
  CHECK(done > 20);
  CHECK(failed > 5);
  CHECK(interrupted > 5);
}
