#include "pipeline/memory/free_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "pipeline/memory/cgroups.h"

namespace flowtrain::memory {
namespace {

std::optional<uint64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // "max", or no such file
}

// "name 123" on a line of its own; 0: there is none.
uint64_t FieldOf(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string field;
  for (uint64_t number = 0; file >> field >> number;) {
    if (field == name) return number;
  }
  return 0;
}

}  // namespace

uint64_t FreeMemory(const std::string& root) {
  uint64_t free = 0;
  std::ifstream meminfo(root + "/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    if (line.rfind("MemAvailable:", 0) == 0) free = std::stoull("0" + line.substr(line.find_first_of("0123456789"))) * 1024;
  }
  // ulimit -v
  rlimit space{};
  uint64_t pages = 0;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && std::ifstream(root + "/proc/self/statm") >> pages) {
    const uint64_t taken = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    free = std::min<uint64_t>(free, space.rlim_cur - std::min<uint64_t>(space.rlim_cur, taken));
  }
  for (const std::string& folder : CgroupFolders(root)) {
    const auto most = ReadNumber(folder + "/memory.max"), now = ReadNumber(folder + "/memory.current");
    // What was read and is kept in case it is wanted again counts as taken, and is given back.
    const uint64_t cached = FieldOf(folder + "/memory.stat", "inactive_file"), taken = now.value_or(0) - std::min(now.value_or(0), cached);
    if (most) free = std::min(free, *most - std::min(*most, taken));
  }
  return free;
}

}  // namespace flowtrain::memory
