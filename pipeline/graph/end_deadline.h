// Until when all that is at work may take to return, together. Used by the main thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace flowtrain::graph {

class EndDeadline {
 public:
  using Clock = std::chrono::steady_clock;
  explicit EndDeadline(Clock::duration limit) : until_(Clock::now() + limit) {}
  // Once `hurried` gives true, no more than `then` is left.
  EndDeadline(Clock::duration limit, std::function<bool()> hurried, Clock::duration then)
      : EndDeadline(limit) {
    hurried_ = std::move(hurried);
    then_ = then;
  }

  Clock::duration left() const { return std::max(Clock::duration(0), until_ - Clock::now()); }
  void Shorten(Clock::duration limit) { until_ = std::min(until_, Clock::now() + limit); }
  // True once `ended`, which waits as long as it is told, gives true. False: time is up.
  template <class Ended>
  bool Wait(const Ended& ended) {
    constexpr Clock::duration kLook = std::chrono::milliseconds(20);
    for (;;) {
      if (hurried_ && hurried_()) {
        Shorten(then_);
        hurried_ = nullptr;
      }
      if (!hurried_ || left() <= kLook) return ended(left());
      if (ended(kLook)) return true;
    }
  }

 private:
  Clock::time_point until_;
  std::function<bool()> hurried_;
  Clock::duration then_{};
};

}  // namespace flowtrain::graph
