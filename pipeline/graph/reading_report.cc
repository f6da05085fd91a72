#include "pipeline/graph/reading_report.h"

#include <algorithm>
#include <cstdio>

#include "pipeline/config/chain_of.h"
#include "pipeline/graph/bounds.h"

namespace flowtrain::graph {
namespace {

constexpr double kMainShare = 0.3;  // of the most that a source reads: the run's pace depends on it

}  // namespace

ReadingReport::ReadingReport(const config::ValidatedGraph& graph, const metrics::RunMetrics& metrics, int workers)
    : graph_(graph), metrics_(metrics), workers_(workers), before_(Sums()) {}

std::vector<ReadingWork> ReadingReport::Sums() const {
  std::vector<ReadingWork> sums;
  double compute_s = 0;
  for (const config::Chain& chain : graph_.chains) {
    ReadingWork& work = sums.emplace_back();
    const metrics::StageTotals read = metrics_.Totals(chain.source.name);
    work.reads = read.items;
    work.read_s = read.working_s;
    for (const config::StageNode& transform : chain.transforms) work.own_compute_s += metrics_.Totals(transform.name).working_s;
    compute_s += work.own_compute_s;
  }
  double waited_s = 0;
  for (const config::StageNode& consumer : graph_.consumers) {
    if (consumer.declaration->observer) continue;
    const metrics::StageTotals totals = metrics_.Totals(consumer.name);
    for (const config::BatchEdge& edge : graph_.batch_edges) {
      const auto waited = edge.to == consumer.name ? totals.waited_s.find(edge.port) : totals.waited_s.end();
      if (waited == totals.waited_s.end()) continue;
      const auto& from = config::ChainOf(graph_, edge.from);
      sums[static_cast<size_t>(&from - graph_.chains.data())].own_waited_s += waited->second;
      waited_s += waited->second;
    }
  }
  for (ReadingWork& work : sums) {
    work.compute_s = compute_s;
    work.waited_s = waited_s;
  }
  return sums;
}

void ReadingReport::End() {
  work_ = Sums();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  double most = 0;
  for (size_t c = 0; c < work_.size(); ++c) {
    ReadingWork& work = work_[c];
    work.threads = graph_.chains[c].source_params.io_threads;
    work.read_ahead = ReadAheadOf(graph_.chains[c].source_params);
    work.workers = workers_;
    work.seconds = seconds;
    for (double ReadingWork::*part : {&ReadingWork::reads, &ReadingWork::read_s, &ReadingWork::compute_s, &ReadingWork::waited_s,
                                      &ReadingWork::own_compute_s, &ReadingWork::own_waited_s}) {
      work.*part -= before_[c].*part;
    }
    most = std::max(most, work.reads);
  }
  for (ReadingWork& work : work_) work.now_and_then = work.reads < kMainShare * most;
}

std::vector<std::pair<std::string, std::string>> ReadingReport::Lines() const {
  std::vector<std::pair<std::string, std::string>> lines;
  for (size_t c = 0; c < work_.size(); ++c) {
    const std::string& name = graph_.chains[c].source.name;
    const metrics::StageTotals read = metrics_.Totals(name);
    std::string text = work_[c].reads > 0 ? ReadingText(work_[c]) : "";
    if (const double asked = read.cache_hits + read.cache_misses; asked > 0) {
      char cache[96];
      std::snprintf(cache, sizeof cache, "%scache: %.3g%% of %.0f reads", text.empty() ? "" : "; ", 100 * read.cache_hits / asked, asked);
      text += cache;
    }
    if (!text.empty()) lines.emplace_back(name, text);
  }
  return lines;
}

}  // namespace flowtrain::graph
