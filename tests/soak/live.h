// What the stages of the run that is on, the watchdog and the main loop share.
#pragma once

#include <flowtrain/error.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "soak/course.h"
#include "soak/expected.h"

namespace flowtrain::soak {

// Something that must not be: a lost sample, a doubled one, one in another's row.
class Broken : public Error {
 public:
  using Error::Error;
};

// Of all courses. Any thread.
struct Totals {
  std::atomic<uint64_t> moves{0};  // grows with whatever happens: what the watchdog looks at
  std::atomic<uint64_t> stalls{0}, bad{0}, fences{0}, checkpoints{0};
  std::atomic<uint64_t> rows{0}, again{0};  // that arrived for the first time, and after a resume
};

class LateFences;

// Of one course.
struct Live {
  Live(const Course& c, Totals& t, LateFences& l);
  // Before the stages of a run are made.
  void Begin(const Scene& drawn);

  const Course& course;
  Totals& totals;
  LateFences& late;
  Scene scene;
  std::array<uint64_t, kMostChains> saved{};      // batches, at the last checkpoint
  std::array<uint64_t, kMostChains> furthest{};   // batches that were ever pulled
  std::array<std::unique_ptr<Expected>, kMostChains> expected;
  std::atomic<uint64_t> reads{0}, bodies{0}, batches{0};  // of this run

  // Sleeps where the call's number says so.
  void Stall(uint64_t call, uint64_t one_in, uint64_t salt);
  // Throws where the run is to end so, at this call.
  void Fail(End end, uint64_t call) const;
};

// What the run that is drawn to fail says of it.
constexpr const char* kInjected = "soak: injected";

}  // namespace flowtrain::soak
