// What bounds the engine: tokens, slots, read-ahead, fences.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "engine/harness.h"

namespace flowtrain::testing {
namespace {

using std::chrono::milliseconds;

TEST_CASE("no more bodies run at once than there are workers") {
  Script script;
  script.size = 64;
  std::atomic<int> inside{0}, most{0};
  script.on_process = [&](Sample&, Context&) {
    const int now = ++inside;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
    std::this_thread::sleep_for(milliseconds(1));
    --inside;
  };
  script.run = TakeBatches(32);
  ScriptedRun run(script, {.staging = R"("batch": 4, "slots": 2)", .source = R"("io_threads": 4, "read_ahead": 10)", .run = R"("threads": 3)"});
  const Result result = run.Run();
  CHECK(result.outcome.kind == graph::Outcome::kDone);
  CHECK(most <= 3);
}

TEST_CASE("a stalled consumer stops the reader within read-ahead, compute tokens and slots x batch") {
  Script script;
  script.size = 1000;
  script.run = [&](RunContext& context) {
    const Batch held = context.Pull("in");
    std::this_thread::sleep_for(milliseconds(300));
    const uint64_t reads = script.reads;
    std::this_thread::sleep_for(milliseconds(200));
    CHECK(script.reads == reads);
    CHECK(reads <= 12 + 2 * 2 + 3 * 4);
    context.Commit(held, "in");
  };
  ScriptedRun run(script, {.source = R"("read_ahead": 12)"});
  CHECK(run.Run().outcome.kind == graph::Outcome::kDone);
}

TEST_CASE("read-ahead stops at its bytes, and a sample larger than the budget goes alone") {
  Script script;
  script.size = 200;
  script.run = [&](RunContext& context) {
    const Batch held = context.Pull("in");
    std::this_thread::sleep_for(milliseconds(200));
    // 8 bytes a sample: a budget of 1 byte lets one wait besides those that are being read.
    CHECK(script.reads <= 3 * 4 + 2 * 2 + 2);
    context.Commit(held, "in");
  };
  ScriptedRun run(script, {.source = R"("read_ahead": 100, "read_ahead_bytes": 1, "io_threads": 2)"});
  CHECK(run.Run().outcome.kind == graph::Outcome::kDone);
}

// A device that copies a slot some time after it was asked to, as a GPU does.
struct LateDevice {
  bool honest;  // gives the slot back only after its copy
  std::mutex mutex;
  std::vector<std::thread> copies;
  std::atomic<int> torn{0};  // copies of what was no longer the batch's

  ~LateDevice() {
    for (std::thread& copy : copies) copy.join();
  }
  Batch Process(const Batch& in, BatchContext& context) {
    auto fence = std::make_shared<ManualFence>();
    const auto bytes = in.tensor("image").as<uint8_t>();
    const std::vector<uint8_t> expected(bytes.begin(), bytes.end());
    if (honest) in.ReleaseAfter(fence);
    const std::lock_guard lock(mutex);
    copies.emplace_back([this, fence, bytes, expected] {
      std::this_thread::sleep_for(milliseconds(15));
      // A slot given back is poison at once, and soon another batch.
      if (!std::equal(bytes.begin(), bytes.end(), expected.begin())) ++torn;
      fence->Pass();
    });
    return context.Derive(in, {}, nullptr);
  }
};

int TornCopies(bool honest) {
  LateDevice device{honest, {}, {}, 0};
  Script script;
  script.on_process = [](Sample&, Context&) { std::this_thread::sleep_for(milliseconds(2)); };
  script.on_batch = [&](const Batch& in, BatchContext& context) { return device.Process(in, context); };
  script.run = TakeBatches(12);
  ScriptedRun run(script, {.device = true}, {.poison_freed_slots = true});
  CHECK(run.Run().outcome.kind == graph::Outcome::kDone);
  for (std::thread& copy : device.copies) copy.join();  // while the slots are still there
  device.copies.clear();
  return device.torn;
}

TEST_CASE("a slot is reused only after every fence on it has passed") { CHECK(TornCopies(true) == 0); }

TEST_CASE("the fake device catches a stage that gives its slot back before its copy has passed") {
  CHECK(TornCopies(false) > 0);
}

TEST_CASE("a batch transform gets a resident only when its last batch was dropped and its fences passed") {
  Script script;
  std::mutex mutex;
  std::set<int> busy;
  script.on_batch = [&](const Batch& in, BatchContext& context) {
    const std::lock_guard lock(mutex);
    CHECK(busy.insert(context.resident()).second);
    CHECK(busy.size() <= 2);
    Tensor tensor = in.tensor("image");
    tensor.shape = {context.resident()};
    return context.Derive(in, {tensor}, nullptr);
  };
  std::vector<std::thread> passing;
  script.run = TakeBatches(10, [&](const Batch& batch) {
    auto fence = std::make_shared<ManualFence>();
    batch.ReleaseAfter(fence);
    passing.emplace_back([&, fence, resident = static_cast<int>(batch.tensor("image").shape[0])] {
      std::this_thread::sleep_for(milliseconds(10));
      {
        const std::lock_guard lock(mutex);
        busy.erase(resident);
      }
      fence->Pass();
    });
  });
  ScriptedRun run(script, {.device = true});
  CHECK(run.Run().outcome.kind == graph::Outcome::kDone);
  for (std::thread& thread : passing) thread.join();
}

TEST_CASE("each stage's histogram counts the samples or batches that passed it") {
  Script script;
  script.run = TakeBatches(10);
  ScriptedRun run(script, {.device = true});
  run.Run();
  const std::string text = run.metrics.Text();
  const auto count = [&](const std::string& series) {
    const size_t at = text.find(series + " ");
    return at == std::string::npos ? -1.0 : std::stod(text.substr(at + series.size() + 1));
  };
  CHECK(count("flowtrain_stage_duration_seconds_count{stage=\"source\"}") == static_cast<double>(script.reads));
  CHECK(count("flowtrain_stage_duration_seconds_count{stage=\"fill\"}") == static_cast<double>(script.processed));
  CHECK(count("flowtrain_stage_wait_seconds_count{stage=\"fill\"}") == static_cast<double>(script.processed));
  CHECK(count("flowtrain_stage_duration_seconds_count{stage=\"sink\"}") == 10);
}

}  // namespace
}  // namespace flowtrain::testing
