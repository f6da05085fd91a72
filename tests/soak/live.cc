#include "soak/live.h"

namespace flowtrain::soak {

Live::Live(const Course& c, Totals& t, LateFences& l) : course(c), totals(t), late(l) {
  for (int chain = 0; chain < kMostChains; ++chain) expected[chain] = std::make_unique<Expected>(course, chain);
}

void Live::Begin(const Scene& drawn) {
  scene = drawn;
  reads = bodies = batches = 0;
}

void Live::Stall(uint64_t call, uint64_t one_in, uint64_t salt) {
  totals.moves.fetch_add(1, std::memory_order_relaxed);
  if (one_in == 0) return;
  const uint64_t drawn = Mix(call, salt + course.seed);
  if (drawn % one_in != 0) return;
  totals.stalls.fetch_add(1, std::memory_order_relaxed);
  std::this_thread::sleep_for(std::chrono::microseconds((drawn >> 32) % scene.stall_us));
}

void Live::Fail(End end, uint64_t call) const {
  if (scene.end != end || call != scene.fails_at) return;
  if (scene.foreign) throw 5;
  throw Error(kInjected);
}

}  // namespace flowtrain::soak
