#include <doctest/doctest.h>
#include <prometheus/metric_family.h>

#include <ctime>
#include <string>
#include <vector>

#include "pipeline/metrics/process.h"

using namespace flowtrain::metrics;

TEST_CASE("process series tell this process' own numbers") {
  std::vector<prometheus::MetricFamily> families;
  CollectProcess(families);
  auto value = [&](const std::string& name) {
    for (const auto& f : families)
      if (f.name == name)
        return f.type == prometheus::MetricType::Counter ? f.metric.at(0).counter.value
                                                         : f.metric.at(0).gauge.value;
    return -1.0;
  };
  CHECK(value("process_cpu_seconds_total") > 0);
  CHECK(value("process_resident_memory_bytes") > 1e6);
  CHECK(value("process_open_fds") >= 3);
  CHECK(value("process_open_fds") < value("process_max_fds"));
  CHECK(value("process_threads") == 1);
  const double age = static_cast<double>(std::time(nullptr)) - value("process_start_time_seconds");
  CHECK(age > -2);
  CHECK(age < 600);
}

TEST_CASE("throttled time is read from both versions of cgroups") {
  CHECK(*ThrottledSeconds("usage_usec 5\nnr_periods 3\nnr_throttled 1\nthrottled_usec 2500000\n") ==
        doctest::Approx(2.5));
  CHECK(*ThrottledSeconds("nr_periods 3\nnr_throttled 1\nthrottled_time 1500000000\n") ==
        doctest::Approx(1.5));
  CHECK(!ThrottledSeconds("usage_usec 5\nuser_usec 3\n"));
  CHECK(!ThrottledSeconds(""));
}
