// Samples that can't be decoded: named once, counted, listed in the run folder; too large a share of
// them ends the run. One for a run; called from I/O threads and workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "pipeline/graph/run_host.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

enum class BadPolicy : uint8_t { kReplace, kMark, kFail };
inline constexpr uint32_t kMaxReplacements = 16;

class BadSamples {
 public:
  BadSamples(RunHost& host, metrics::RunMetrics& metrics, double max_share);

  void CountRead() { reads_.fetch_add(1, std::memory_order_relaxed); }
  // Throws Error where the run must end: the policy is kFail, or the share is above the limit.
  void Add(int chain, BadPolicy policy, const BadSampleInfo& bad);
  // After the run: throws Error where not one of the samples could be decoded.
  void CheckAny() const;
  uint64_t count() const { return bad_.load(std::memory_order_relaxed); }

 private:
  RunHost& host_;
  metrics::RunMetrics& metrics_;
  const double max_share_;
  std::atomic<uint64_t> reads_{0}, bad_{0};
  std::mutex mutex_;  // protects named_
  std::set<std::pair<int, uint64_t>> named_;  // chain, index
};

}  // namespace flowtrain::graph
