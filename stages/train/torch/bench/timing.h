// Times of work on a device. On the bench's thread.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace flowtrain::train::bench {

// Until all that was launched is done. Nothing on a CPU.
void WaitFor(at::Device device);

struct Times {
  std::vector<double> ms;  // of each call, in order: on a GPU from one call's last work to the next one's
  double whole_ms = 0;     // of all calls, on the host's clock, until the device had done them
  double median() const;
  double smallest() const;
  double largest() const;
};

// `calls` calls, one behind the other: the host may run ahead of the device.
Times Measure(at::Device device, int calls, const std::function<void()>& call);

// Several pieces of work by turns, `rounds` times, each round of each timed until the device is through.
std::vector<Times> MeasureByTurns(at::Device device, int rounds,
                                  const std::vector<std::function<void()>>& work);

}  // namespace flowtrain::train::bench
