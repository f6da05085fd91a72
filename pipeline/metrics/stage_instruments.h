// What one stage may publish: checks names, adds the prefix and the stage's label. RunMetrics owns
// one a stage; any thread may ask.
#pragma once

#include <flowtrain/metrics.h>

#include <string>

namespace flowtrain::metrics {

class SeriesStore;

class StageInstruments final : public Instruments {
 public:
  StageInstruments(SeriesStore& store, std::string stage)
      : store_(store), stage_(std::move(stage)) {}

  Counter& counter(const std::string& name, const std::string& help, const Labels& labels) override;
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels) override;
  Histogram& histogram(const std::string& name, const std::string& help,
                       const Labels& labels) override;

 private:
  SeriesStore& store_;
  const std::string stage_;
};

}  // namespace flowtrain::metrics
