// The I/O threads of one chain: ask the gate for credit, read, hand back. They never compute and never
// occupy a worker. A read that can't be interrupted leaves its thread behind.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <flowtrain/stage.h>

#include "pipeline/graph/bad_samples.h"
#include "pipeline/graph/gate.h"
#include "pipeline/metrics/run_metrics.h"
#include "pipeline/storage/reads.h"

namespace flowtrain::graph {

class StorageContext;

class Reader {
 public:
  Reader(Gate& gate, int chain, const Source& source, std::string stage, int threads, std::optional<storage::Cached> cached,
         BadPolicy policy, BadSamples& bad, metrics::SourceSeries series, std::function<void()> stopped);
  ~Reader();

  void Start();
  // After Gate::Stop: true once all threads have returned, within `limit`.
  bool End(std::chrono::steady_clock::duration limit);
  // Leaves behind those that have not: this object must outlive the process.
  void Detach();
  // How many reads are under way, and since when the oldest one.
  struct Busy {
    int reads = 0;
    double oldest_s = 0;
    bool backing_off = false;
  };
  Busy busy() const;

 private:
  void Loop(int thread);
  // Reads, hands on and asks for the next job; empty: the run ends. `asked` becomes when it asked.
  std::optional<ReadJob> ReadOne(const ReadJob& job, StorageContext& files, std::atomic<int64_t>& since, std::chrono::steady_clock::time_point& asked);
  // In a catch: ends the run, unless it ends already.
  void Fail(const std::string& sample);
  void ReadWithRetries(uint64_t index, Sample& sample, StorageContext& files);

  Gate& gate_;
  const int chain_;
  const Source& source_;
  const std::string stage_;
  const std::optional<storage::Cached> cached_;
  const BadPolicy policy_;
  BadSamples& bad_;
  metrics::SourceSeries series_;
  const std::function<void()> stopped_;  // tells the run that it has ended
  std::vector<std::thread> threads_;
  struct Now {
    std::atomic<int64_t> since{0};  // steady clock; 0: not reading
  };
  std::vector<Now> now_;
  std::atomic<int> backing_off_{0};
  std::mutex mutex_;  // protects running_
  std::condition_variable ended_;
  int running_ = 0;
};

}  // namespace flowtrain::graph
