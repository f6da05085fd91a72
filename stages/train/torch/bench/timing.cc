#include "stages/train/torch/bench/timing.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>

namespace flowtrain::train::bench {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

}  // namespace

void WaitFor(at::Device device) {
  if (!device.is_cpu()) c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

double Times::median() const {
  std::vector<double> sorted = ms;
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double Times::smallest() const { return ms.empty() ? 0 : *std::min_element(ms.begin(), ms.end()); }
double Times::largest() const { return ms.empty() ? 0 : *std::max_element(ms.begin(), ms.end()); }

Times Measure(at::Device device, int calls, const std::function<void()>& call) {
  Times times;
  WaitFor(device);
  const Clock::time_point began = Clock::now();
  if (device.is_cpu()) {
    for (int i = 0; i < calls; ++i) {
      const Clock::time_point one = Clock::now();
      call();
      times.ms.push_back(MillisecondsSince(one));
    }
  } else {
    const c10::impl::VirtualGuardImpl guard(device.type());
    std::vector<c10::Event> marks;
    const auto mark = [&] {
      marks.emplace_back(device.type(), c10::EventFlag::BACKEND_DEFAULT);
      marks.back().record(guard.getStream(device));
    };
    mark();
    for (int i = 0; i < calls; ++i) {
      call();
      mark();
    }
    WaitFor(device);
    for (int i = 0; i < calls; ++i) times.ms.push_back(marks[i].elapsedTime(marks[i + 1]));
  }
  times.whole_ms = MillisecondsSince(began);
  return times;
}

std::vector<Times> MeasureByTurns(at::Device device, int rounds,
                                  const std::vector<std::function<void()>>& work) {
  std::vector<Times> times(work.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < work.size(); ++i) {
      WaitFor(device);
      const Clock::time_point began = Clock::now();
      work[i]();
      WaitFor(device);
      times[i].ms.push_back(MillisecondsSince(began));
      times[i].whole_ms += times[i].ms.back();
    }
  }
  return times;
}

}  // namespace flowtrain::train::bench
