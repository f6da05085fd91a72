// Ends the process, with what is on, where nothing moves any more: a hang can't be seen from inside.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "soak/live.h"

namespace flowtrain::soak {

class Watchdog {
 public:
  explicit Watchdog(const Totals& totals);
  ~Watchdog();
  // What is said of a hang from now on.
  void Note(std::string what);

 private:
  void Loop();

  const Totals& totals_;
  std::mutex mutex_;  // protects both below
  std::string what_;
  bool ending_ = false;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace flowtrain::soak
