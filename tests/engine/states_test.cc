// A run ends within a second of its cause, whatever state it is in.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

// States a run can stand in when its end comes. Each sets up the script and says, through
// `reached`, that it is there.
enum class At {
  kPulling,
  kReadBlocked,
  kReadDeaf,
  kNoSlots,
  kNoResidents,
  kBackingOff,
  kComputing,
  kLateFence
};
const std::map<At, std::string> kStates{{At::kPulling, "a consumer blocked in Pull"},
                                        {At::kReadBlocked, "a read blocked for 30 s"},
                                        {At::kReadDeaf, "a read that can't be interrupted"},
                                        {At::kNoSlots, "slots exhausted"},
                                        {At::kNoResidents, "residents exhausted"},
                                        {At::kBackingOff, "a read backing off"},
                                        {At::kComputing, "workers busy"},
                                        {At::kLateFence, "a fence that is late"}};

struct Scene {
  Script script;
  std::atomic<bool> reached{false}, let_go{false};
  std::atomic<int> faults{0};
  std::shared_ptr<ManualFence> fence = std::make_shared<ManualFence>();

  explicit Scene(At state) {
    script.size = 1000;
    const auto idle = [](RunContext& context) {
      while (!context.stopping()) std::this_thread::sleep_for(milliseconds(1));
    };
    script.run = TakeBatches(1u << 30);
    switch (state) {
      case At::kPulling:
        script.on_read = [this](uint64_t, ReadContext& context) {
          while (script.reads > 50 && !context.stopping()) {
            reached = true;
            std::this_thread::sleep_for(milliseconds(1));
          }
        };
        break;
      case At::kReadBlocked:
        script.on_read = [this](uint64_t, ReadContext& context) {
          const auto start = Clock::now();
          while (script.reads > 20 && Since(start) < 30 && !context.stopping()) {
            reached = true;
            std::this_thread::sleep_for(milliseconds(1));
          }
        };
        break;
      case At::kReadDeaf:
        script.on_read = [this](uint64_t, ReadContext&) {
          while (script.reads > 20 && !let_go) {
            reached = true;
            std::this_thread::sleep_for(milliseconds(1));
          }
        };
        break;
      case At::kNoSlots:
      case At::kNoResidents:
        script.run = [this, idle](RunContext& context) {
          const Batch first = context.Pull("in"), second = context.Pull("in");
          std::this_thread::sleep_for(milliseconds(100));  // what comes fills all there is
          reached = true;
          idle(context);
        };
        break;
      case At::kBackingOff:
        script.on_read = [this](uint64_t, ReadContext&) {
          if (script.reads < 20) return;
          if (++faults == 10) reached = true;  // five of two threads: each waits for 1.6 s now
          throw Transient("the server is away");
        };
        break;
      case At::kComputing:
        script.on_process = [this](Sample&, Context&) {
          reached = true;
          std::this_thread::sleep_for(milliseconds(50));
        };
        break;
      case At::kLateFence:
        script.run = [this, idle](RunContext& context) {
          const Batch batch = context.Pull("in");
          batch.ReleaseAfter(fence);
          reached = true;
          idle(context);
        };
        break;
    }
  }
  void WaitUntilReached() const {
    while (!reached) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(20));
  }
};

// Ends a run that stands in `state`, by an interrupt or by an error of the second chain, and gives
// the seconds from the cause to the end of Run.
double SecondsToEnd(At state, bool by_error, Result& result) {
  auto kept = std::make_unique<Scene>(state);
  Scene& scene = *kept;
  std::atomic<bool> fail{false};
  std::atomic<double> cause{0};
  const auto now = [] {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  };
  scene.script.on_read2 = [&](uint64_t, ReadContext& context) {
    while (!fail && !context.stopping()) std::this_thread::sleep_for(milliseconds(1));
    if (!fail) return;
    if (cause == 0) cause = now();
    throw Error("the other disk caught fire");
  };
  // What is deaf is left behind after its grace, which is within the second.
  const bool deaf = state == At::kReadDeaf || state == At::kLateFence;
  auto run = std::make_unique<ScriptedRun>(
      scene.script,
      Settings{.run = R"("threads": 2, "stall_timeout": 60)",
               .device = state != At::kNoSlots,  // a device stage's residents run out before the slots
               .second_chain = true});
  std::thread ender([&] {
    scene.WaitUntilReached();
    if (by_error) {
      fail = true;
      return;
    }
    cause = now();
    run->executor().Stop();
  });
  result = run->Run();
  const double seconds = now() - cause;
  ender.join();
  scene.fence->Pass();
  scene.let_go = true;
  if (deaf) {  // what was left behind is never taken down: a process leaves with _exit
    std::this_thread::sleep_for(milliseconds(200));
    run.release();
    kept.release();
  }
  return seconds;
}

}  // namespace

namespace {

std::string LeftBehind(At state) {
  if (state == At::kReadDeaf) return "source";
  return state == At::kLateFence ? "a fence that a released batch waits for" : "";
}

}  // namespace

TEST_CASE("an interrupt ends the run in under a second from every state") {
  double most = 0;
  for (const auto& [state, name] : kStates) {
    CAPTURE(name);
    Result result;
    const double seconds = SecondsToEnd(state, false, result);
    most = std::max(most, seconds);
    CHECK(seconds < 1 * kPatience);
    CHECK(result.outcome.kind == Outcome::kInterrupted);
    CHECK(result.outcome.abandoned == LeftBehind(state));
  }
  MESSAGE("from the interrupt to the end, at most ", most, " s");
}

TEST_CASE("the first error ends the run in under a second from every state") {
  double most = 0;
  for (const auto& [state, name] : kStates) {
    CAPTURE(name);
    Result result;
    const double seconds = SecondsToEnd(state, true, result);
    most = std::max(most, seconds);
    CHECK(seconds < 1 * kPatience);
    CHECK(result.outcome.kind == Outcome::kFailed);
    CHECK(Holds(result.outcome.error, "source2: the other disk caught fire, sample "));
    CHECK(result.outcome.abandoned == LeftBehind(state));
  }
  MESSAGE("from the error to the end, at most ", most, " s");
}
