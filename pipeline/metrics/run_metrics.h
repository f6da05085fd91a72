// Every number a run publishes. The run owns one RunMetrics, makes it before its stages and ends it
// after them. Handles live as long as it does and may be used from any thread.
#pragma once

#include <flowtrain/metrics.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace flowtrain::metrics {

class GpuSampler;

// What the engine hits for each sample or batch of a stage. Made once, before the first sample:
// looking a series up costs 164 ns, a counter 9 ns, a histogram 35 ns.
struct StageSeries {
  Histogram& duration;  // stage_duration_seconds: one observation an item
  Histogram& wait;   // stage_wait_seconds: starved, one observation an item that waited for input
  Counter& blocked;  // stage_blocked_seconds_total: its output was full
  Counter& ok;       // stage_items_total{outcome}
  Counter& bad;      // ... content fault: replaced or marked
  Counter& failed;   // ... ended the run
};

// A source's stage also reads.
struct SourceSeries {
  StageSeries stage;
  Counter& read_bytes;  // read_bytes_total
  Counter& retried;     // stage_items_total{outcome="retried"}: a storage fault, tried again
};

// A source's cache.
struct CacheSeries {
  Counter& hits;    // cache_requests_total{outcome="hit"}
  Counter& misses;  // ... "miss"
};
struct CacheReading {
  double bytes = 0, capacity = 0, evictions = 0;
};

// What a stage's series say so far.
struct StageTotals {
  double items = 0;      // that it worked on
  double working_s = 0;  // of all its threads
  double blocked_s = 0;
  double cache_hits = 0, cache_misses = 0;
  std::map<std::string, double> waited_s;  // in Pull, by input
};

// Keeps a reading alive: what its function looks at must outlive it. Movable.
class Reading {
 public:
  Reading() = default;
  Reading(Reading&&) noexcept = default;
  Reading& operator=(Reading&& other) noexcept;
  ~Reading();  // returns once no scrape is inside the function

 private:
  friend class RunMetrics;
  explicit Reading(std::function<void()> remove)
      : remove_(std::make_unique<std::function<void()>>(std::move(remove))) {}
  std::unique_ptr<std::function<void()>> remove_;
};

class RunMetrics {
 public:
  RunMetrics();
  ~RunMetrics();
  RunMetrics(const RunMetrics&) = delete;
  RunMetrics& operator=(const RunMetrics&) = delete;

  // What stage `stage` may publish of its own. Lives as long as this.
  Instruments& ForStage(const std::string& stage);

  StageSeries Stage(const std::string& stage);
  SourceSeries Source(const std::string& stage);
  CacheSeries Cache(const std::string& stage);
  // trainer_wait_seconds_total{stage,input}: time a consumer stood in Pull.
  Counter& PullWait(const std::string& consumer, const std::string& input);
  // bad_samples_total{reason}. Looked up: for the rare case only.
  Counter& BadSamples(const std::string& reason);

  // tokens_in_use{pool} and tokens_capacity{pool}; queue_depth{queue} and queue_capacity{queue}.
  // The functions are called at each scrape, on the server's threads, and must not wait long.
  // Adding a name that is there already throws Error.
  [[nodiscard]] Reading AddPool(const std::string& pool, std::function<double()> in_use,
                                std::function<double()> capacity);
  [[nodiscard]] Reading AddQueue(const std::string& queue, std::function<double()> depth,
                                 std::function<double()> capacity);
  // cache_bytes{stage}, cache_capacity_bytes{stage}, cache_evictions_total{stage}
  [[nodiscard]] Reading AddCache(const std::string& stage, std::function<CacheReading()> read);
  [[nodiscard]] Reading AddGpus(const GpuSampler& sampler);

  // run_info{labels} 1 and build_info{labels} 1.
  void SetRunInfo(const Labels& labels);
  void SetBuildInfo(const Labels& labels);

  // Slow: goes through every series.
  StageTotals Totals(const std::string& stage) const;
  // The whole in Prometheus' text format, process_* and cgroup throttling included.
  std::string Text() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace flowtrain::metrics
