// Tries again what storage was at fault for. The engine does so around Source::Read; a source does so
// around what it reads while it opens.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <flowtrain/error.h>

namespace flowtrain {

// What `attempt` gives. After a Transient it is called again, at most five times: after 0.1 s, and
// twice as long each time (3.1 s in all). `stopping`, never null, is asked meanwhile: true throws Cancelled.
// `waiting`: whether a pause is on; null: nobody is told. Any thread.
template <class Attempt>
auto WithBackOff(const Attempt& attempt, const std::function<bool()>& stopping,
                 const std::function<void(bool)>& waiting = nullptr,
                 std::chrono::milliseconds pause = std::chrono::milliseconds(100)) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRetries = 5;
  for (int tried = 1;; ++tried, pause *= 2) {
    try {
      return attempt();
    } catch (const Transient& fault) {
      if (tried > kRetries) {
        throw Error(std::string(fault.what()) + " (tried " + std::to_string(tried) + " times)");
      }
    }
    if (waiting) waiting(true);
    for (const auto until = Clock::now() + pause; Clock::now() < until && !stopping();) {
      std::this_thread::sleep_for(std::min(pause, std::chrono::milliseconds(20)));
    }
    if (waiting) waiting(false);
    if (stopping()) throw Cancelled();
  }
}

}  // namespace flowtrain
