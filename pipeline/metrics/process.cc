#include "pipeline/metrics/process.h"

#include <prometheus/metric_family.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace flowtrain::metrics {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Put(std::vector<prometheus::MetricFamily>& out, prometheus::MetricType type, const char* name,
         const char* help, double value) {
  prometheus::MetricFamily family{name, help, type, {}};
  prometheus::ClientMetric metric;
  (type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  family.metric.push_back(std::move(metric));
  out.push_back(std::move(family));
}

// Seconds since the epoch at which the machine started; 0: unknown.
double BootTime() {
  std::istringstream in(ReadAll("/proc/stat"));
  std::string word;
  double value = 0;
  while (in >> word)
    if (word == "btime" && in >> value) return value;
  return 0;
}

std::optional<double> Throttled() {
  std::vector<std::string> files;
  std::istringstream groups(ReadAll("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);)
    if (line.rfind("0::", 0) == 0) files.push_back("/sys/fs/cgroup" + line.substr(3) + "/cpu.stat");
  for (const char* file : {"/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
                           "/sys/fs/cgroup/cpu/cpu.stat"})
    files.push_back(file);
  for (const std::string& file : files)
    if (std::optional<double> seconds = ThrottledSeconds(ReadAll(file))) return seconds;
  return std::nullopt;
}

}  // namespace

std::optional<double> ThrottledSeconds(const std::string& cpu_stat) {
  std::istringstream in(cpu_stat);
  std::string key;
  for (double value; in >> key >> value;) {
    if (key == "throttled_usec") return value * 1e-6;
    if (key == "throttled_time") return value * 1e-9;
  }
  return std::nullopt;
}

void CollectProcess(std::vector<prometheus::MetricFamily>& out) {
  using prometheus::MetricType;
  timespec cpu{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
    Put(out, MetricType::Counter, "process_cpu_seconds_total", "CPU time used, user and system.",
        static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec));

  uint64_t pages = 0, resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident)
    Put(out, MetricType::Gauge, "process_resident_memory_bytes", "Memory in RAM.",
        static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));

  std::error_code failed;
  std::filesystem::directory_iterator fds("/proc/self/fd", failed);
  if (!failed)  // one of them is the iterator's own
    Put(out, MetricType::Gauge, "process_open_fds", "Open file descriptors.",
        static_cast<double>(std::distance(fds, std::filesystem::directory_iterator()) - 1));
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    Put(out, MetricType::Gauge, "process_max_fds", "File descriptors allowed.",
        static_cast<double>(limit.rlim_cur));

  // Fields count from the state, behind the command's name, which may hold blanks and parentheses.
  const std::string stat = ReadAll("/proc/self/stat");
  std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string field;
  for (int number = 3; fields >> field; ++number) {
    if (number == 20) Put(out, MetricType::Gauge, "process_threads", "Threads.", std::stod(field));
    if (number == 22) {
      const double start =
          BootTime() + std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
      Put(out, MetricType::Gauge, "process_start_time_seconds",
          "When the process started, in seconds since 1970.", start);
      break;
    }
  }

  if (std::optional<double> seconds = Throttled())
    Put(out, MetricType::Counter, "flowtrain_cgroup_throttled_seconds_total",
        "Time for which the cgroup's CPU limit stopped threads.", *seconds);
}

}  // namespace flowtrain::metrics
