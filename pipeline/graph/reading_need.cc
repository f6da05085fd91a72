#include "pipeline/graph/reading_need.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flowtrain::graph {
namespace {

constexpr double kAllBusy = 0.95;    // share of the threads' time from which on they are the bottleneck
constexpr double kMostBusy = 0.8;    // ... of the time that was waited for a chain's batches
constexpr double kFelt = 0.1;        // share of the run that one waits before it is felt
constexpr double kNothing = 0.01;    // a share too small to divide by
constexpr int kMostThreads = 10000;  // nothing but reading takes time

int Rounded(double threads) { return static_cast<int>(std::clamp(std::ceil(threads), 1.0, static_cast<double>(kMostThreads))); }

}  // namespace

ReadingNeed NeedOf(const ReadingWork& work) {
  ReadingNeed need;
  if (work.reads <= 0 || work.seconds <= 0) return need;
  need.a_read_s = work.read_s / work.reads;
  need.busy = work.read_s / work.seconds;
  const int at_once = std::min(work.threads, work.read_ahead);
  const bool starved = work.own_waited_s >= kFelt * work.seconds && work.read_s >= kMostBusy * at_once * work.own_waited_s;
  if (work.now_and_then) {
    need.held_up = starved;
    if (starved) need.threads = Rounded(work.read_s * work.workers / std::max(work.own_compute_s, kNothing * work.read_s));
  } else {
    const double workers_busy = work.compute_s / (work.seconds * work.workers), consumer_busy = 1 - work.waited_s / work.seconds;
    need.threads = Rounded(need.busy / std::clamp(std::max(workers_busy, consumer_busy), kNothing, 1.0));
    need.held_up = need.busy >= kAllBusy * at_once;
    // Too short to tell: most of it was the start.
    if (!need.held_up && need.threads > work.threads) need.threads = 0;
  }
  if (need.threads <= at_once) need.held_up = false;
  return need;
}

std::string ReadingText(const ReadingWork& work) {
  const ReadingNeed need = NeedOf(work);
  char text[160];
  std::snprintf(text, sizeof text, "%d I/O thread%s, %.3g ms a read", work.threads, work.threads == 1 ? "" : "s", 1e3 * need.a_read_s);
  const std::string line = text, about = "about " + std::to_string(need.threads);
  if (need.held_up && work.read_ahead < work.threads)
    return line + ": the bottleneck, for read_ahead lets " + std::to_string(work.read_ahead) + " read at once; " + about + " would keep up";
  if (need.held_up) return line + ": the bottleneck, " + about + " would keep up";
  return need.threads == 0 ? line : line + ": " + about + " would do";
}

}  // namespace flowtrain::graph
