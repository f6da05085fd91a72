#include "pipeline/storage/free_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace flowtrain::storage {
namespace {

std::optional<uint64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // "max", or no such file
}

}  // namespace

uint64_t FreeMemory(const std::string& root) {
  uint64_t free = 0;
  std::ifstream meminfo(root + "/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    if (line.rfind("MemAvailable:", 0) == 0) free = std::stoull("0" + line.substr(line.find_first_of("0123456789"))) * 1024;
  }
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    for (std::string group = line.substr(3);; group.resize(group.rfind('/'))) {
      const std::string folder = root + "/sys/fs/cgroup" + group;
      const auto most = ReadNumber(folder + "/memory.max"), now = ReadNumber(folder + "/memory.current");
      if (most) free = std::min(free, *most - std::min(*most, now.value_or(0)));
      if (group.empty() || group.rfind('/') == std::string::npos) break;
    }
  }
  return free;
}

}  // namespace flowtrain::storage
