// Tries again what storage was at fault for, as reads of a run are tried again.
#pragma once

#include <flowtrain/error.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace flowtrain::data {

// What `attempt` gives. After a Transient it is called again, at most five times: after 0.1 s, and
// twice as long each time. `stopping` is asked meanwhile: true throws Cancelled. Any thread.
template <class Attempt>
auto WithBackOff(const Attempt& attempt, const std::function<bool()>& stopping,
                 std::chrono::milliseconds wait = std::chrono::milliseconds(100)) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRetries = 5;
  for (int tried = 1;; ++tried, wait *= 2) {
    try {
      return attempt();
    } catch (const Transient& fault) {
      if (tried > kRetries) {
        throw Error(std::string(fault.what()) + " (tried " + std::to_string(tried) + " times)");
      }
    }
    for (const auto until = Clock::now() + wait; Clock::now() < until && !stopping();) {
      std::this_thread::sleep_for(std::min(wait, std::chrono::milliseconds(20)));
    }
    if (stopping()) throw Cancelled();
  }
}

}  // namespace flowtrain::data
