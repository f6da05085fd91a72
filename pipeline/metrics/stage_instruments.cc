#include "pipeline/metrics/stage_instruments.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "pipeline/metrics/series.h"

namespace flowtrain::metrics {
namespace {

// The engine's own series: a stage that added to them would falsify them.
constexpr std::array<std::string_view, 18> kReserved = {"stage_duration_seconds",
                                                        "stage_wait_seconds",
                                                        "stage_blocked_seconds_total",
                                                        "stage_items_total",
                                                        "tokens_in_use",
                                                        "tokens_capacity",
                                                        "queue_depth",
                                                        "queue_capacity",
                                                        "read_bytes_total",
                                                        "trainer_wait_seconds_total",
                                                        "bad_samples_total",
                                                        "run_info",
                                                        "build_info",
                                                        "cgroup_throttled_seconds_total",
                                                        "gpu_utilization_ratio",
                                                        "gpu_memory_bytes",
                                                        "gpu_power_watts",
                                                        "gpu_temperature_celsius"};

bool IsName(std::string_view name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

enum class Kind { kCounter, kGauge, kHistogram };

[[noreturn]] void Refuse(const std::string& stage, const std::string& name,
                         const std::string& why) {
  throw Error("stage " + stage + ": metric \"" + name + "\": " + why);
}

void CheckName(Kind kind, const std::string& stage, const std::string& name,
               const std::string& help) {
  const std::string_view n = name;
  if (!IsName(n)) Refuse(stage, name, "a name is a-z, 0-9 and _, and starts with a letter");
  if (n.starts_with("flowtrain_"))
    Refuse(stage, name, "leave out the prefix flowtrain_, it is added");
  if (std::find(kReserved.begin(), kReserved.end(), n) != kReserved.end())
    Refuse(stage, name, "the name belongs to the framework");
  if (help.empty()) Refuse(stage, name, "the help text is missing");
  if (kind == Kind::kCounter && !n.ends_with("_total"))
    Refuse(stage, name, "a counter's name ends in _total");
  if (kind != Kind::kCounter && n.ends_with("_total"))
    Refuse(stage, name, "only a counter's name ends in _total");
  if (kind == Kind::kHistogram && !n.ends_with("_seconds"))
    Refuse(stage, name, "a histogram's name ends in _seconds, the unit of its buckets");
  for (std::string_view suffix : {"_count", "_sum", "_bucket", "_info"})
    if (n.ends_with(suffix))
      Refuse(stage, name, "the ending " + std::string(suffix) + " belongs to Prometheus");
}

prometheus::Labels CheckLabels(const std::string& stage, const std::string& name,
                               const Labels& labels) {
  prometheus::Labels out{{"stage", stage}};
  for (const auto& [label, value] : labels) {
    if (!IsName(label) || label == "le" || label == "quantile" || label == "job" ||
        label == "instance")
      Refuse(stage, name,
             "label \"" + label +
                 "\": a label is a-z, 0-9 and _, and none of le, quantile, job, instance");
    if (value.find('/') != std::string::npos)
      Refuse(stage, name, "label " + label + "=\"" + value + "\": labels hold no paths");
    if (!out.emplace(label, value).second)
      Refuse(stage, name, "label \"" + label + "\" is there already (stage is added)");
  }
  return out;
}

}  // namespace

Counter& StageInstruments::counter(const std::string& name, const std::string& help,
                                   const Labels& labels) {
  CheckName(Kind::kCounter, stage_, name, help);
  return store_.AddCounter("flowtrain_" + name, help, CheckLabels(stage_, name, labels));
}

Gauge& StageInstruments::gauge(const std::string& name, const std::string& help,
                               const Labels& labels) {
  CheckName(Kind::kGauge, stage_, name, help);
  return store_.AddGauge("flowtrain_" + name, help, CheckLabels(stage_, name, labels));
}

Histogram& StageInstruments::histogram(const std::string& name, const std::string& help,
                                       const Labels& labels) {
  CheckName(Kind::kHistogram, stage_, name, help);
  return store_.AddHistogram("flowtrain_" + name, help, CheckLabels(stage_, name, labels));
}

}  // namespace flowtrain::metrics
