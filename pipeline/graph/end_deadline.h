// Until when all that is at work may take to return, together. Used by the main thread.
#pragma once

#include <algorithm>
#include <chrono>

namespace flowtrain::graph {

class EndDeadline {
 public:
  using Clock = std::chrono::steady_clock;
  explicit EndDeadline(Clock::duration limit) : until_(Clock::now() + limit) {}

  Clock::duration left() const { return std::max(Clock::duration(0), until_ - Clock::now()); }
  void Shorten(Clock::duration limit) { until_ = std::min(until_, Clock::now() + limit); }
  // True once `ended`, which waits as long as it is told, gives true. False: time is up.
  template <class Ended>
  bool Wait(const Ended& ended) {
    return ended(left());
  }

 private:
  Clock::time_point until_;
};

}  // namespace flowtrain::graph
