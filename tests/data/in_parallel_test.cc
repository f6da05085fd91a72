#include "stages/data/in_parallel.h"

#include <doctest/doctest.h>
#include <flowtrain/error.h>

#include <chrono>
#include <thread>

namespace flowtrain::data_test {
namespace {

// Ends when it is told to stop, as a pass over a shard does, or is late.
void Wait(const std::atomic<bool>& stopped, std::atomic<int>& told) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (!stopped && std::chrono::steady_clock::now() < late) std::this_thread::yield();
  if (!stopped) return;
  ++told;
  throw Cancelled();
}

TEST_CASE("the first body that fails stops the others, and its failure is the one told") {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> waiting = 0, told = 0;
    const auto body = [&](uint64_t i, const std::atomic<bool>& stopped) {
      ++waiting;
      if (i != 2) return Wait(stopped, told);
      while (waiting < 3) std::this_thread::yield();
      throw Error("the third");
    };
    CHECK_THROWS_WITH_AS(data::InParallel(1000, 3, body, [](uint64_t) {}), "the third", Error);
    REQUIRE(waiting == 3);
    REQUIRE(told.load() == 2);
  }
}

TEST_CASE("a watcher that fails stops the bodies, and its failure is the one told") {
  std::atomic<int> waiting = 0, told = 0;
  const auto body = [&](uint64_t, const std::atomic<bool>& stopped) {
    ++waiting;
    Wait(stopped, told);
  };
  const auto watch = [&](uint64_t) {
    while (waiting < 2) std::this_thread::yield();
    throw Error("the watcher");
  };
  CHECK_THROWS_WITH_AS(data::InParallel(1000, 2, body, watch), "the watcher", Error);
  CHECK(told.load() == 2);
}

}  // namespace
}  // namespace flowtrain::data_test
