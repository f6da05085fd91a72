// The caches of a run, by what its sources ask for. They live through phases; sources that name the same
// folder share one. The run owns one Caches; Of is called from the thread that opens stages.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "pipeline/storage/cache.h"

namespace flowtrain::storage {

struct CacheSettings {
  enum Kind { kNone, kRam, kDisk } kind = kNone;
  uint64_t bytes = 0;            // 0: half of the memory that is free, nine tenths of the disk's free space
  std::filesystem::path folder;  // kDisk
};

class Caches {
 public:
  explicit Caches(Say warn) : warn_(std::move(warn)) {}
  // Null: none. Throws Error where the folder can't be made, or is another source's with another size.
  Cache* Of(const std::string& source, const CacheSettings& settings);

 private:
  const Say warn_;
  std::map<std::string, std::unique_ptr<Cache>> ram_;  // by source and size
  uint64_t promised_ = 0;                              // to those
  struct OnDisk {
    std::unique_ptr<Cache> cache;
    uint64_t bytes = 0;
    std::string source;
  };
  std::map<std::filesystem::path, OnDisk> disk_;
};

}  // namespace flowtrain::storage
