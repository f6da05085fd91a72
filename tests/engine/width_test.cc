// All workers compute, whatever else is blocked.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using std::chrono::milliseconds;

namespace {

// How many bodies are inside at once, at most.
class Inside {
 public:
  void Stay(milliseconds time) {
    const int now = ++now_;
    for (int seen = most_; now > seen && !most_.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(time);
    --now_;
  }
  int most() const { return most_; }

 private:
  std::atomic<int> now_{0}, most_{0};
};

}  // namespace

TEST_CASE("the samples of one chain are computed by all workers at once") {
  const auto run = [](int threads, int& most) {
    Script script;
    Inside inside;
    script.on_process = [&](Sample&, Context&) { inside.Stay(milliseconds(3)); };
    script.run = TakeBatches(40);
    const Result result =
        ScriptedRun(script, {.run = R"("threads": )" + std::to_string(threads)}).Run();
    CHECK(result.hashes.size() == 40);
    most = inside.most();
    return result.seconds;
  };
  int one = 0, three = 0;
  const double serial = run(1, one), parallel = run(3, three);
  MESSAGE("160 samples of 3 ms: ", serial, " s on one worker, ", parallel, " s on three; ", three,
          " at once");
  CHECK(one == 1);
  CHECK(three == 3);
  CHECK(parallel < 0.6 * serial);
}

TEST_CASE("a worker that is stuck in one sample keeps no other worker from its own") {
  Script script;
  script.size = 1000;
  std::atomic<bool> let_go{false};
  std::atomic<uint64_t> done{0};
  script.on_process = [&](Sample& sample, Context&) {
    while (sample.id.index == 1 && !let_go) std::this_thread::sleep_for(milliseconds(1));
    ++done;
  };
  script.run = [&](RunContext&) {
    for (int i = 0; i < 3000 && done < 11; ++i) std::this_thread::sleep_for(milliseconds(1));
    let_go = true;
  };
  CHECK(ScriptedRun(script, {.source = ""}).Run().outcome.error == "");
  CHECK(done >= 11);  // the other rows of three slots
}

TEST_CASE(
    "I/O threads that are all blocked occupy no worker: the other chain computes at full width") {
  Script script;
  std::atomic<int> blocked{0};
  script.on_read = [](uint64_t, ReadContext&) {};
  script.on_read2 = [&](uint64_t, ReadContext& context) {
    ++blocked;
    while (!context.stopping()) std::this_thread::sleep_for(milliseconds(1));
  };
  Inside inside;
  script.on_process = [&](Sample&, Context&) {
    for (int i = 0; i < 5000 && blocked < 6; ++i) std::this_thread::sleep_for(milliseconds(1));
    inside.Stay(milliseconds(2));
  };
  script.run = TakeBatches(30);
  Settings settings{.run = R"("threads": 3)", .second_chain = true};
  settings.source = R"("io_threads": 6)";
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  CHECK(blocked == 6);
  CHECK(inside.most() == 3);
}

TEST_CASE("I/O threads that rested all read again once there is room, as soon as reads turn slow") {
  Script script;
  script.size = 1000;
  Inside reading;
  std::atomic<bool> slow{false};
  script.on_read = [&](uint64_t, ReadContext&) {
    if (slow) reading.Stay(milliseconds(5));
  };
  // Quick reads, for which one thread does, and full pools between them, so that all go to rest.
  const auto rest = TakeBatches(
      20, [](const Batch&) { std::this_thread::sleep_for(milliseconds(2)); });
  double seconds = 0;
  script.run = [&](RunContext& context) {
    rest(context);
    slow = true;
    const auto start = std::chrono::steady_clock::now();
    TakeBatches(100)(context);
    seconds = Since(start);
  };
  Settings settings;
  settings.source = R"("io_threads": 8)";
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  MESSAGE("400 samples, reads of 5 ms: ", seconds, " s with 8 I/O threads, ", reading.most(),
          " at once");
  CHECK(reading.most() == 8);
  CHECK(seconds < 1);  // 0.25 s with eight, 2 s with one
}
