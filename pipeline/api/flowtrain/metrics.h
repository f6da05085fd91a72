// Instruments a stage may publish. Handles belong to the run and outlive the stage; each may be used
// from any thread. Names are Prometheus names without the prefix `flowtrain_` (added), base units,
// `_total` on counters; the label `stage` is added. Labels never hold paths or positions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <flowtrain/export.h>

namespace flowtrain {

class FLOWTRAIN_API Counter {
 public:
  virtual ~Counter();
  virtual void Add(double amount) = 0;  // amount >= 0
};

class FLOWTRAIN_API Gauge {
 public:
  virtual ~Gauge();
  virtual void Set(double value) = 0;
};

class FLOWTRAIN_API Histogram {
 public:
  virtual ~Histogram();
  virtual void Observe(double value) = 0;
};

using Labels = std::vector<std::pair<std::string, std::string>>;

class FLOWTRAIN_API Instruments {
 public:
  virtual ~Instruments();
  // The same name and labels give the same handle. Throws Error for a name of the wrong form.
  virtual Counter& counter(const std::string& name, const std::string& help, const Labels& labels) = 0;
  virtual Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels) = 0;
  // Seconds; buckets from 10 us to 100 s.
  virtual Histogram& histogram(const std::string& name, const std::string& help, const Labels& labels) = 0;
};

}  // namespace flowtrain
