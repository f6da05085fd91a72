// A fence of a device that is gone.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;

namespace {

class BrokenFence final : public Fence {
 public:
  explicit BrokenFence(bool asked) : asked_(asked) {}
  bool Passed() override {
    if (asked_) throw Error("the device is lost");
    return false;
  }
  void Wait() override { throw Error("the device is lost"); }

 private:
  const bool asked_;
};

}  // namespace

TEST_CASE("a fence that throws ends the run by its error, and its batch's memory is not given to another") {
  for (const bool device : {false, true}) {
    for (const bool asked : {false, true}) {
      CAPTURE(device);
      CAPTURE(asked);
      Script script;
      const uint8_t* lost = nullptr;
      bool reused = false;
      script.run = TakeBatches(1000, [&](const Batch& batch) {
        const uint8_t* memory = batch.tensor("image").as<uint8_t>().data();
        reused |= memory == lost;
        if (lost == nullptr) batch.ReleaseAfter(std::make_shared<BrokenFence>(asked));
        if (lost == nullptr) lost = memory;
      });
      ScriptedRun run(script, {.device = device});
      const Result result = run.Run();
      CHECK(result.outcome.kind == Outcome::kFailed);
      CHECK(result.outcome.error == "a fence that a released batch waits for: the device is lost");
      CHECK(result.outcome.abandoned == "");
      if (!device) CHECK(!reused);
      CHECK(result.seconds < 1 * kPatience);
    }
  }
}
