#include "pipeline/graph/reading_need.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flowtrain::graph {
namespace {

constexpr double kAllBusy = 0.95;    // share of the threads' time from which on they are the bottleneck
constexpr double kNothing = 0.01;    // a share too small to divide by
constexpr int kMostThreads = 10000;  // nothing but reading takes time

}  // namespace

ReadingNeed NeedOf(const ReadingWork& work) {
  ReadingNeed need;
  if (work.reads <= 0 || work.seconds <= 0) return need;
  need.a_read_s = work.read_s / work.reads;
  need.busy = work.read_s / work.seconds;
  const double workers_busy = work.compute_s / (work.seconds * work.workers), consumer_busy = 1 - work.waited_s / work.seconds;
  const double busiest = std::clamp(std::max(workers_busy, consumer_busy), kNothing, 1.0);
  need.threads = static_cast<int>(std::clamp(std::ceil(need.busy / busiest), 1.0, static_cast<double>(kMostThreads)));
  need.held_up = need.busy >= kAllBusy * work.threads && need.threads > work.threads;
  return need;
}

std::string ReadingText(const ReadingWork& work) {
  const ReadingNeed need = NeedOf(work);
  char text[160];
  std::snprintf(text, sizeof text, "%d I/O thread%s, %.3g ms a read: %s", work.threads, work.threads == 1 ? "" : "s", 1e3 * need.a_read_s,
                need.held_up ? "the bottleneck, about " : "about ");
  std::string line = text;
  return line + std::to_string(need.threads) + (need.held_up ? " would keep up" : " would do");
}

}  // namespace flowtrain::graph
