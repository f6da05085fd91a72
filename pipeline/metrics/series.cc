#include "pipeline/metrics/series.h"

#include <flowtrain/error.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <stdexcept>

namespace flowtrain::metrics {
namespace {

// 10 us to 100 s, two a decade: a row copy and a stuck read both fall inside.
const prometheus::Histogram::BucketBoundaries kBuckets = {
    1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3, 10, 30, 100};

class CounterHandle final : public Counter {
 public:
  explicit CounterHandle(prometheus::Counter& counter) : counter_(counter) {}
  void Add(double amount) override { counter_.Increment(amount); }

 private:
  prometheus::Counter& counter_;
};

class GaugeHandle final : public Gauge {
 public:
  explicit GaugeHandle(prometheus::Gauge& gauge) : gauge_(gauge) {}
  void Set(double value) override { gauge_.Set(value); }

 private:
  prometheus::Gauge& gauge_;
};

class HistogramHandle final : public Histogram {
 public:
  explicit HistogramHandle(prometheus::Histogram& histogram) : histogram_(histogram) {}
  void Observe(double value) override { histogram_.Observe(value); }

 private:
  prometheus::Histogram& histogram_;
};

}  // namespace

template <typename Handle, typename Base, typename Make>
Base& SeriesStore::Find(std::map<Key, std::unique_ptr<Base>>& handles, const Key& key, Make make) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Base>& handle = handles[key];
  if (!handle) {
    try {
      handle = std::make_unique<Handle>(make());
    } catch (const std::invalid_argument& e) {
      handles.erase(key);
      throw Error("metric " + key.first + ": " + e.what() +
                  " (a name belongs to one kind: counter, gauge or histogram)");
    }
  }
  return *handle;
}

Counter& SeriesStore::AddCounter(const std::string& name, const std::string& help,
                                 const prometheus::Labels& labels) {
  return Find<CounterHandle>(counters_, {name, labels}, [&]() -> prometheus::Counter& {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
  });
}

Gauge& SeriesStore::AddGauge(const std::string& name, const std::string& help,
                             const prometheus::Labels& labels) {
  return Find<GaugeHandle>(gauges_, {name, labels}, [&]() -> prometheus::Gauge& {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
  });
}

Histogram& SeriesStore::AddHistogram(const std::string& name, const std::string& help,
                                     const prometheus::Labels& labels) {
  return Find<HistogramHandle>(histograms_, {name, labels}, [&]() -> prometheus::Histogram& {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_).Add(labels,
                                                                                      kBuckets);
  });
}

}  // namespace flowtrain::metrics
