// Keeps encoded bytes in memory for as long as the run lives. What is kept stays: samples come in a new
// order each epoch, so whatever was dropped for another would be missed as often as the other is hit.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "pipeline/storage/cache.h"

namespace flowtrain::storage {

class RamCache final : public Cache {
 public:
  // `capacity` in bytes. `say`: that it is used up, or that memory is: then a quarter is given back.
  RamCache(uint64_t capacity, Say say) : capacity_(capacity), say_(std::move(say)) {}
  // A run reads each file once: changes made while it runs aren't seen.
  std::optional<Buffer> Find(const CacheKey& key, const std::function<FileStamp()>& stamp) override;
  bool Keep(const CacheKey& key, const FileStamp& stamp, const Buffer& bytes) override;
  CacheUse use() const override;
  std::string Describe() const override;

 private:
  const uint64_t capacity_;
  const Say say_;
  mutable std::mutex mutex_;  // protects what follows
  std::unordered_map<CacheKey, std::shared_ptr<const std::vector<uint8_t>>, CacheKeyHash> entries_;
  uint64_t bytes_ = 0, evictions_ = 0;
  bool full_ = false, out_of_memory_ = false;  // each said
};

}  // namespace flowtrain::storage
