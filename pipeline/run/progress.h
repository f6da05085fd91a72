// How far the run is: one line that is drawn anew on a terminal, a plain line every 5 s elsewhere.
// The run owns one; calls come from a consumer's thread (Report), the thread that opens stages (Opening)
// and the main thread (Finish).
#pragma once

#include <flowtrain/context.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace flowtrain::run {

class Terminal;

// Since the run's start; Progress works out the rates.
struct ProgressTotals {
  uint64_t images = 0;
  double waited_s = 0;          // time in Pull
  double gpu_utilization = -1;  // now, 0..1; -1: no GPU
};

// What one line shows. Negative numbers are unknown and left out.
struct ProgressLine {
  ProgressReport report;
  double elapsed_s = -1, left_s = -1;
  double steps_per_s = -1, images_per_s = -1;
  double waited_share = -1, gpu_utilization = -1;
};

// "epoch 3/14 [12/24]  01:10<02:31  3.1 it/s  49 img/s  loss 1.234  waited 2%  gpu 87%". Whole
// parts are left out from the right until it fits `width` columns.
std::string FormatProgress(const ProgressLine& line, int width);
// "01:10", "1:02:03".
std::string FormatDuration(double seconds);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Progress(Terminal& terminal, std::function<Clock::time_point()> now = Clock::now);

  void Report(const ProgressReport& report, const ProgressTotals& totals);
  // A long Open: "making builtin:camouflage 120/448".
  void Opening(const std::string& what, uint64_t done, uint64_t total);
  // Clears the line.
  void Finish();

 private:
  struct Point {
    Clock::time_point at;
    uint64_t steps = 0, images = 0;
    double waited_s = 0;
  };
  bool Due(Clock::time_point now);
  void Show(const std::string& line);
  ProgressLine Measure(const ProgressReport& report, const ProgressTotals& totals,
                       Clock::time_point now);

  Terminal& terminal_;
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;  // guards what follows
  std::optional<Clock::time_point> last_shown_;
  std::optional<Point> first_;  // of training: what is left is reckoned from here
  std::string phase_;
  std::deque<Point> recent_;  // of this phase: rates are over the last 10 s
};

}  // namespace flowtrain::run
