// What the kernel says of this process and of its cgroup: process_* (Prometheus' common names) and
// flowtrain_cgroup_throttled_seconds_total. Read at each scrape.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace flowtrain::metrics {

void CollectProcess(std::vector<prometheus::MetricFamily>& out);

// From the text of a cgroup's cpu.stat, version 2 (throttled_usec) or 1 (throttled_time, ns); empty
// where it has neither.
std::optional<double> ThrottledSeconds(const std::string& cpu_stat);

}  // namespace flowtrain::metrics
