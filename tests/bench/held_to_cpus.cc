#include "bench/held_to_cpus.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace flowtrain::bench {
namespace {

void HoldAllThreads(const cpu_set_t& cpus) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    sched_setaffinity(std::atoi(task.path().filename().c_str()), sizeof cpus, &cpus);  // some end meanwhile
}

}  // namespace

HeldToCpus::HeldToCpus(int cpus) {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) throw std::runtime_error("no CPU affinity");
  cpu_set_t held;
  CPU_ZERO(&held);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&held) < cpus; ++cpu)
    if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &held);
  HoldAllThreads(held);
}

HeldToCpus::~HeldToCpus() { HoldAllThreads(before_); }

}  // namespace flowtrain::bench
