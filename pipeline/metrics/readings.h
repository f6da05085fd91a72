// Gauges and counters that are not kept but asked for at each scrape. RunMetrics owns one; Add and Remove come
// from the engine, Collect from the server's threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace flowtrain::metrics {

class Readings {
 public:
  struct Gauge {
    std::string name, help, label, value;  // one series: name{label="value"}
    std::function<double()> read;
    bool counts = false;  // a counter
  };
  using Source = std::function<void(std::vector<prometheus::MetricFamily>&)>;

  // Returns what Remove takes. Throws Error for a series that is there already.
  uint64_t Add(std::vector<Gauge> gauges);
  uint64_t Add(Source source);
  void Remove(uint64_t id);  // returns once no Collect is inside the functions

  void Collect(std::vector<prometheus::MetricFamily>& out) const;

 private:
  mutable std::mutex mutex_;  // guards what follows, and is held while functions are called
  uint64_t next_ = 1;
  std::map<uint64_t, std::vector<Gauge>> gauges_;
  std::map<uint64_t, Source> sources_;
};

}  // namespace flowtrain::metrics
