// Images a second, over time that leaves out what lies between End and Begin. A value; one thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace flowtrain::train {

class Throughput {
 public:
  void Begin() {
    began_ = Clock::now();
    running_ = true;
  }
  void Add(int64_t images) {
    if (running_) images_ += images;
  }
  void End() {
    if (running_) seconds_ += Since();
    running_ = false;
  }
  bool running() const { return running_; }
  // 0 before any time has passed.
  double images_per_s() const {
    const double seconds = seconds_ + (running_ ? Since() : 0);
    return seconds > 0 ? static_cast<double>(images_) / seconds : 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double Since() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  Clock::time_point began_;
  bool running_ = false;
  int64_t images_ = 0;
  double seconds_ = 0;
};

}  // namespace flowtrain::train
