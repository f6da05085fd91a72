// Samples that can't be decoded: named once, counted, listed in the run folder; too large a share of
// them ends the run. What is read ahead of the run's end belongs to no batch that anybody took, and is no
// part of that: a sample counts when its batch is pulled, so that the count and how the run ends depend
// on no timing. One for a run; called from I/O threads, workers and consumers.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/graph/run_host.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

enum class BadPolicy : uint8_t { kReplace, kMark, kFail };
inline constexpr uint32_t kMaxReplacements = 16;

class BadSamples {
 public:
  BadSamples(RunHost& host, metrics::RunMetrics& metrics, double max_share);

  // Keeps it until its batch is pulled. Throws Error where the run must end: the policy is kFail.
  void Add(int chain, uint64_t batch, BadPolicy policy, BadSampleInfo bad);
  // All rows of the batch are filled.
  void Filled(int chain, uint64_t batch, int rows);
  // Counts, names and lists those of the batch, unless that was done: a main consumer has it, or one of them
  // has ended the run. Throws Error where their share is above the limit.
  void Tell(int chain, uint64_t batch);
  // Where a position has had kMaxReplacements, none of which can be `done` ("read", "decoded"): tells the
  // batch's, and throws Error with the last one's cause.
  [[noreturn]] void OutOfReplacements(int chain, uint64_t batch, const std::string& done, const std::string& cause);
  // Forgets what was read for batches that nobody has pulled: the phase is over.
  void DropUntold();
  // After the run: throws Error where not one of the samples could be decoded.
  void CheckAny() const;
  uint64_t count() const { return bad_.load(std::memory_order_relaxed); }

 private:
  struct Bad {
    BadPolicy policy;
    BadSampleInfo info;
  };
  struct Untold {
    uint64_t rows = 0;
    std::vector<Bad> bad;
  };
  void Name(int chain, const Bad& bad);

  RunHost& host_;
  metrics::RunMetrics& metrics_;
  const double max_share_;
  std::atomic<uint64_t> reads_{0}, bad_{0};  // of the batches that were told
  std::mutex mutex_;  // protects what follows
  std::map<std::pair<int, uint64_t>, Untold> untold_;  // by chain and batch
  std::set<std::pair<int, uint64_t>> named_;           // chain, index
};

}  // namespace flowtrain::graph
