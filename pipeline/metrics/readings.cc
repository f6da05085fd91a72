#include "pipeline/metrics/readings.h"

#include <flowtrain/error.h>
#include <prometheus/metric_family.h>

namespace flowtrain::metrics {

uint64_t Readings::Add(std::vector<Gauge> gauges) {
  std::lock_guard lock(mutex_);
  for (const auto& [id, group] : gauges_)
    for (const Gauge& old : group)
      for (const Gauge& added : gauges)
        if (old.name == added.name && old.value == added.value)
          throw Error("metric " + added.name + "{" + added.label + "=\"" + added.value +
                      "\"} is there already");
  gauges_[next_] = std::move(gauges);
  return next_++;
}

uint64_t Readings::Add(Source source) {
  std::lock_guard lock(mutex_);
  sources_[next_] = std::move(source);
  return next_++;
}

void Readings::Remove(uint64_t id) {
  std::lock_guard lock(mutex_);
  gauges_.erase(id);
  sources_.erase(id);
}

void Readings::Collect(std::vector<prometheus::MetricFamily>& out) const {
  std::lock_guard lock(mutex_);
  std::map<std::string, prometheus::MetricFamily> families;
  for (const auto& [id, group] : gauges_) {
    for (const Gauge& gauge : group) {
      prometheus::MetricFamily& family = families[gauge.name];
      family.name = gauge.name;
      family.help = gauge.help;
      family.type = gauge.counts ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
      prometheus::ClientMetric metric;
      metric.label.push_back({gauge.label, gauge.value});
      (gauge.counts ? metric.counter.value : metric.gauge.value) = gauge.read();
      family.metric.push_back(std::move(metric));
    }
  }
  for (auto& [name, family] : families) out.push_back(std::move(family));
  for (const auto& [id, source] : sources_) source(out);
}

}  // namespace flowtrain::metrics
