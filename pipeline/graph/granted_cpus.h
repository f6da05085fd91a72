// How many CPUs this process may really use: the smallest of the affinity mask and the cgroups' quotas
// (oneTBB 2021.8 looks at the mask only).
#pragma once

#include <string>

namespace flowtrain::graph {

struct GrantedCpus {
  int count = 1;
  std::string why;  // "2 CPUs of the affinity mask", "1.5 CPUs by the cgroup's cpu.max"
};

// `root`: where /proc and /sys are looked for (tests).
GrantedCpus FindGrantedCpus(const std::string& root = "");
// The quota in "max 100000" or "150000 100000" form, in CPUs; 0: none.
double ParseCpuMax(const std::string& text);

}  // namespace flowtrain::graph
