#include "pipeline/metrics/run_metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>

#include "pipeline/metrics/nvml.h"
#include "pipeline/metrics/process.h"
#include "pipeline/metrics/readings.h"
#include "pipeline/metrics/series.h"
#include "pipeline/metrics/stage_instruments.h"

namespace flowtrain::metrics {

struct RunMetrics::Parts {
  SeriesStore series;
  Readings readings;
  std::mutex mutex;  // guards stages
  std::map<std::string, StageInstruments> stages;

  Counter& Items(const std::string& stage, const char* outcome) {
    return series.AddCounter(
        "flowtrain_stage_items_total",
        "Samples or batches that left a stage: ok; bad (content fault); failed (ended the run); "
        "retried (a storage fault, tried again).",
        {{"stage", stage}, {"outcome", outcome}});
  }
  Reading Keep(uint64_t id) {
    return Reading([this, id] { readings.Remove(id); });
  }
};

Reading& Reading::operator=(Reading&& other) noexcept {
  if (this != &other) {
    if (remove_) (*remove_)();
    remove_ = std::move(other.remove_);
  }
  return *this;
}

Reading::~Reading() {
  if (remove_) (*remove_)();
}

RunMetrics::RunMetrics() : parts_(std::make_unique<Parts>()) {}
RunMetrics::~RunMetrics() = default;

Instruments& RunMetrics::ForStage(const std::string& stage) {
  std::lock_guard lock(parts_->mutex);
  return parts_->stages.try_emplace(stage, parts_->series, stage).first->second;
}

StageSeries RunMetrics::Stage(const std::string& stage) {
  SeriesStore& s = parts_->series;
  return {
      s.AddHistogram("flowtrain_stage_duration_seconds",
                     "Time a stage worked on one sample or batch.", {{"stage", stage}}),
      s.AddHistogram("flowtrain_stage_wait_seconds",
                     "Time a stage stood idle before a sample or batch came.", {{"stage", stage}}),
      s.AddCounter("flowtrain_stage_blocked_seconds_total",
                   "Time a stage stood still because its output was full.", {{"stage", stage}}),
      parts_->Items(stage, "ok"),
      parts_->Items(stage, "bad"),
      parts_->Items(stage, "failed")};
}

SourceSeries RunMetrics::Source(const std::string& stage) {
  return {Stage(stage),
          parts_->series.AddCounter("flowtrain_read_bytes_total", "Bytes read from storage.",
                                    {{"stage", stage}}),
          parts_->Items(stage, "retried")};
}

CacheSeries RunMetrics::Cache(const std::string& stage) {
  const auto requests = [&](const char* outcome) -> Counter& {
    return parts_->series.AddCounter("flowtrain_cache_requests_total",
                                     "Files, or pieces of files, that a source asked its cache for.",
                                     {{"stage", stage}, {"outcome", outcome}});
  };
  return {requests("hit"), requests("miss")};
}

Counter& RunMetrics::PullWait(const std::string& consumer, const std::string& input) {
  return parts_->series.AddCounter(
      "flowtrain_trainer_wait_seconds_total",
      "Time the trainer waited for a batch: its rate is the share of time it starved.",
      {{"stage", consumer}, {"input", input}});
}

Counter& RunMetrics::BadSamples(const std::string& reason) {
  return parts_->series.AddCounter("flowtrain_bad_samples_total",
                                   "Samples whose content could not be used, by reason.",
                                   {{"reason", reason}});
}

Reading RunMetrics::AddPool(const std::string& pool, std::function<double()> in_use,
                            std::function<double()> capacity) {
  return parts_->Keep(parts_->readings.Add(
      {{"flowtrain_tokens_in_use", "Tokens of a pool that are taken.", "pool", pool,
        std::move(in_use)},
       {"flowtrain_tokens_capacity", "Tokens of a pool.", "pool", pool, std::move(capacity)}}));
}

Reading RunMetrics::AddQueue(const std::string& queue, std::function<double()> depth,
                             std::function<double()> capacity) {
  return parts_->Keep(parts_->readings.Add(
      {{"flowtrain_queue_depth", "Items that wait in a queue.", "queue", queue, std::move(depth)},
       {"flowtrain_queue_capacity", "Items a queue can hold.", "queue", queue,
        std::move(capacity)}}));
}

Reading RunMetrics::AddCache(const std::string& stage, std::function<CacheReading()> read) {
  const auto part = [&read](double CacheReading::*field) { return [read, field] { return read().*field; }; };
  return parts_->Keep(parts_->readings.Add(
      {{"flowtrain_cache_bytes", "Bytes that the cache keeps of what this run has read.", "stage", stage,
        part(&CacheReading::bytes)},
       {"flowtrain_cache_capacity_bytes", "Bytes that the cache keeps at most.", "stage", stage,
        part(&CacheReading::capacity)},
       {"flowtrain_cache_evictions_total",
        "Entries that the cache dropped: of changed files, damaged ones, and to make room.", "stage", stage,
        part(&CacheReading::evictions), true}}));
}

Reading RunMetrics::AddGpus(const GpuSampler& sampler) {
  return parts_->Keep(parts_->readings.Add([&sampler](auto& out) { sampler.Collect(out); }));
}

void RunMetrics::SetRunInfo(const Labels& labels) {
  parts_->series.AddGauge("flowtrain_run_info", "What runs.", {labels.begin(), labels.end()})
      .Set(1);
}

void RunMetrics::SetBuildInfo(const Labels& labels) {
  parts_->series
      .AddGauge("flowtrain_build_info", "Which program runs.", {labels.begin(), labels.end()})
      .Set(1);
}

StageTotals RunMetrics::Totals(const std::string& stage) const {
  StageTotals totals;
  const auto labelled = [](const prometheus::ClientMetric& metric, const char* name, const std::string& value) {
    return std::any_of(metric.label.begin(), metric.label.end(),
                       [&](const auto& label) { return label.name == name && label.value == value; });
  };
  for (const prometheus::MetricFamily& family : parts_->series.Collect()) {
    for (const prometheus::ClientMetric& metric : family.metric) {
      if (!labelled(metric, "stage", stage)) continue;
      if (family.name == "flowtrain_stage_duration_seconds") {
        totals.items += static_cast<double>(metric.histogram.sample_count);
        totals.working_s += metric.histogram.sample_sum;
      } else if (family.name == "flowtrain_stage_blocked_seconds_total") {
        totals.blocked_s += metric.counter.value;
      } else if (family.name == "flowtrain_cache_requests_total") {
        (labelled(metric, "outcome", "hit") ? totals.cache_hits : totals.cache_misses) += metric.counter.value;
      } else if (family.name == "flowtrain_trainer_wait_seconds_total") {
        for (const auto& label : metric.label) {
          if (label.name == "input") totals.waited_s[label.value] += metric.counter.value;
        }
      }
    }
  }
  return totals;
}

std::string RunMetrics::Text() const {
  std::vector<prometheus::MetricFamily> families = parts_->series.Collect();
  parts_->readings.Collect(families);
  CollectProcess(families);
  std::stable_sort(families.begin(), families.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

}  // namespace flowtrain::metrics
