// What a run leaves behind goes on: nothing that it touches may go before it.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using std::chrono::milliseconds;

TEST_CASE("an executor whose run left a body behind can be destroyed while the body is at work") {
  static std::atomic<bool> inside{false}, let_go{false};
  static std::atomic<int> left{0};
  static Script script;
  script.on_process = [](Sample&, Context& context) {
    inside = true;
    while (!let_go) std::this_thread::sleep_for(milliseconds(1));
    context.Scratch(64, 0)[0] = 1;  // the worker's memory is still there
    ++left;
  };
  script.run = TakeBatches(1000);
  static ScriptedRun* run = new ScriptedRun(script, {}, {.grace = milliseconds(100)});
  std::thread stopper([] {
    while (!inside) std::this_thread::sleep_for(milliseconds(1));
    run->executor().Stop();
  });
  CHECK(run->Run().outcome.abandoned == "fill");
  stopper.join();
  run->DropExecutor();
  let_go = true;
  while (left == 0) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(50));
}

TEST_CASE("executors that leave something behind can be destroyed at the same time") {
  constexpr int kRuns = 16;
  static std::atomic<bool> let_go{false};
  static std::atomic<int> left{0};
  static Script script;
  script.on_close = [] {
    while (!let_go) std::this_thread::sleep_for(milliseconds(1));
    ++left;
  };
  script.run = TakeBatches(1);
  static std::vector<std::unique_ptr<ScriptedRun>> runs;
  for (int i = 0; i < kRuns; ++i) {
    runs.push_back(std::make_unique<ScriptedRun>(script, Settings{}, graph::ExecutorOptions{.grace = milliseconds(20)}));
    CHECK(runs.back()->Run().outcome.abandoned == "fill");
  }
  std::atomic<int> there{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kRuns; ++i) {
    threads.emplace_back([&there, i] {
      for (++there; there < kRuns;) {}
      runs[i]->DropExecutor();
    });
  }
  for (std::thread& thread : threads) thread.join();
  let_go = true;
  while (left < kRuns) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(50));
}
