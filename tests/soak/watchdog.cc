#include "soak/watchdog.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "support/patience.h"

namespace flowtrain::soak {
namespace {

// No stall is as long, no end's grace, and no read's back-off.
constexpr std::chrono::duration<double> kBound{60 * testing::kPatience};

}  // namespace

Watchdog::Watchdog(const Totals& totals) : totals_(totals), thread_([this] { Loop(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::Note(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Watchdog::Loop() {
  std::unique_lock lock(mutex_);
  uint64_t seen = totals_.moves;
  auto moved = std::chrono::steady_clock::now();
  while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return ending_; })) {
    const auto now = std::chrono::steady_clock::now();
    const uint64_t moves = totals_.moves;
    if (moves != seen) seen = moves, moved = now;
    if (now - moved < kBound) continue;
    std::fprintf(stderr, "HANG: nothing has moved for %.0f s\n%s\n", kBound.count(), what_.c_str());
    std::fflush(nullptr);
    _exit(3);
  }
}

}  // namespace flowtrain::soak
