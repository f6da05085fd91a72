// What the kernel says of this process, for tests that nothing is left behind.
#pragma once

#include <malloc.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace flowtrain::testing {

inline std::ptrdiff_t Entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}
inline std::ptrdiff_t Threads() { return Entries("/proc/self/task"); }
inline std::ptrdiff_t Descriptors() { return Entries("/proc/self/fd"); }

// Resident memory, in KiB.
inline long ResidentKiB() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
  }
  return 0;
}

// Bytes that were allocated and not freed, over all of malloc's arenas, in KiB. Unlike resident
// memory it does not depend on how many arenas the threads' timing has made.
inline long AllocatedKiB() {
  const auto info = mallinfo2();
  return static_cast<long>((info.uordblks + info.hblkhd) / 1024);
}

// Threads that the engine started, "ft-..."; not oneTBB's workers, which it keeps for the next run.
inline std::multiset<std::string> EngineThreads() {
  std::multiset<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm");
    std::string name;
    if (std::getline(comm, name) && name.rfind("ft-", 0) == 0 && name != "ft-worker")
      names.insert(name);
  }
  return names;
}

}  // namespace flowtrain::testing
