#include "pipeline/memory/cgroups.h"

#include <fstream>

namespace flowtrain::memory {

std::vector<std::string> CgroupFolders(const std::string& root) {
  std::vector<std::string> folders;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    for (std::string group = line.substr(3);; group.resize(group.rfind('/'))) {
      folders.push_back(root + "/sys/fs/cgroup" + group);
      if (group.empty() || group.rfind('/') == std::string::npos) break;
    }
  }
  return folders;
}

}  // namespace flowtrain::memory
