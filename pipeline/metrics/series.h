// Every series of a run by name and labels, over one prometheus-cpp registry. RunMetrics owns it;
// any thread may ask. The same name and labels give the same handle.
#pragma once

#include <flowtrain/metrics.h>
#include <prometheus/labels.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace flowtrain::metrics {

class SeriesStore {
 public:
  // Full names. Throw Error where the name is taken by another kind.
  Counter& AddCounter(const std::string& name, const std::string& help,
                      const prometheus::Labels& labels);
  Gauge& AddGauge(const std::string& name, const std::string& help,
                  const prometheus::Labels& labels);
  Histogram& AddHistogram(const std::string& name, const std::string& help,
                          const prometheus::Labels& labels);

  std::vector<prometheus::MetricFamily> Collect() const { return registry_.Collect(); }

 private:
  using Key = std::pair<std::string, prometheus::Labels>;
  template <typename Handle, typename Base, typename Make>
  Base& Find(std::map<Key, std::unique_ptr<Base>>& handles, const Key& key, Make make);

  prometheus::Registry registry_;
  std::mutex mutex_;  // guards the maps
  std::map<Key, std::unique_ptr<Counter>> counters_;
  std::map<Key, std::unique_ptr<Gauge>> gauges_;
  std::map<Key, std::unique_ptr<Histogram>> histograms_;
};

}  // namespace flowtrain::metrics
