// Keeps encoded bytes in files of a local folder (in its hidden folder .flowtrain-cache, which no source of
// files looks into), from one run to the next, and for several programs at
// once. Entries that this run used stay; others make room, those longest unused first.
#pragma once

#include <filesystem>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "pipeline/storage/cache.h"

namespace flowtrain::storage {

class DiskCache final : public Cache {
 public:
  // Makes the folder where it is missing; throws Error. One that can't be written is read only. `capacity` in bytes; 0: nine tenths of what
  // is free when the first entry is written. Several programs: each counts what it finds at
  // its first write and what it writes itself.
  DiskCache(std::filesystem::path folder, uint64_t capacity, Say say);
  std::optional<Buffer> Find(const CacheKey& key, const std::function<FileStamp()>& stamp) override;
  bool Keep(const CacheKey& key, const FileStamp& stamp, const Buffer& bytes) override;
  CacheUse use() const override;
  std::string Describe() const override;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Old {
    int64_t used_ns = 0;
    uint64_t bytes = 0;
    CacheKey key;
  };
  std::filesystem::path PathOf(const CacheKey& key) const;
  void Drop(const CacheKey& key, uint64_t bytes);
  void TakeStock();               // mutex_ held
  bool MakeRoom(uint64_t bytes);  // mutex_ held
  void Use(const CacheKey& key, uint64_t bytes);  // mutex_ held

  const std::filesystem::path folder_, drafts_;
  const uint64_t asked_;  // 0: by what is free
  const Say say_;
  mutable std::mutex mutex_;  // protects what follows
  std::unordered_map<CacheKey, uint64_t, CacheKeyHash> used_;  // by this run, known to be right: its bytes
  std::vector<Old> old_;                             // of earlier runs, the one used longest ago last
  uint64_t used_bytes_ = 0;                          // of used_
  uint64_t bytes_ = 0, capacity_;                    // of all, once counted
  uint64_t evictions_ = 0;
  bool counted_ = false, off_ = false, full_ = false;
};

}  // namespace flowtrain::storage
