#include "pipeline/plugin/process_limits.h"

#include <sys/resource.h>

namespace flowtrain::plugin {

std::string MemoryLimit() {
  struct Kind {
    __rlimit_resource resource;
    const char* name;
  };
  for (const auto& [resource, name] : {Kind{RLIMIT_AS, "ulimit -v"}, Kind{RLIMIT_DATA, "ulimit -d"}}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      return std::string("; ") + name + " is " + std::to_string(limit.rlim_cur / 1024) + " KiB";
  }
  return "";
}

}  // namespace flowtrain::plugin
