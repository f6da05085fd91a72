#include "pipeline/graph/granted_cpus.h"

#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "pipeline/memory/cgroups.h"

namespace flowtrain::graph {
namespace {

std::string ReadLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The tightest cpu.max from this process' cgroup up to the root (version 2), or version 1's quota.
double CgroupCpus(const std::string& root) {
  double least = 0;
  const auto take = [&least](double cpus) {
    if (cpus > 0 && (least == 0 || cpus < least)) least = cpus;
  };
  for (const std::string& folder : memory::CgroupFolders(root)) take(ParseCpuMax(ReadLine(folder + "/cpu.max")));
  const std::string quota = ReadLine(root + "/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const std::string period = ReadLine(root + "/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (!quota.empty() && quota[0] != '-' && !period.empty()) take(ParseCpuMax(quota + " " + period));
  return least;
}

}  // namespace

double ParseCpuMax(const std::string& text) {
  std::istringstream in(text);
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::atof(quota.c_str()) / period;
}

GrantedCpus FindGrantedCpus(const std::string& root) {
  GrantedCpus granted;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  granted.count = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask)
                                                                : static_cast<int>(std::thread::hardware_concurrency());
  if (granted.count < 1) granted.count = 1;
  granted.why = std::to_string(granted.count) + (granted.count == 1 ? " CPU" : " CPUs") + " by the affinity mask";
  const double quota = CgroupCpus(root);
  const int whole = quota > 0 ? static_cast<int>(std::ceil(quota)) : 0;
  if (whole > 0 && whole < granted.count) {
    granted.count = whole;
    char text[64];
    std::snprintf(text, sizeof text, "%.4g CPUs by the cgroup's cpu.max", quota);
    granted.why = text;
  }
  return granted;
}

}  // namespace flowtrain::graph
