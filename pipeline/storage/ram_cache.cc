#include "pipeline/storage/ram_cache.h"

#include <algorithm>
#include <new>

#include "pipeline/storage/rounded_bytes.h"

namespace flowtrain::storage {

std::optional<Buffer> RamCache::Find(const CacheKey& key, const std::function<FileStamp()>&) {
  std::shared_ptr<const std::vector<uint8_t>> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    entry = found->second;
  }
  Buffer buffer = Buffer::Allocate(entry->size());
  std::copy(entry->begin(), entry->end(), buffer.data.get());
  return buffer;
}

void RamCache::Keep(const CacheKey& key, const FileStamp&, const Buffer& bytes) {
  std::shared_ptr<const std::vector<uint8_t>> entry;
  try {
    entry = std::make_shared<const std::vector<uint8_t>>(bytes.data.get(), bytes.data.get() + bytes.size);
  } catch (const std::bad_alloc&) {
  }
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    if (full_ || entries_.contains(key)) return;
    if (entry == nullptr) {
      why = "there is no memory for more than " + RoundedBytes(bytes_);
    } else if (bytes_ + bytes.size > capacity_) {
      why = "its " + RoundedBytes(capacity_) + " are used up";
    } else {
      entries_.emplace(key, std::move(entry));
      bytes_ += bytes.size;
      return;
    }
    full_ = true;
  }
  say_(why + ": what else is read comes from storage each time");
}

CacheUse RamCache::use() const {
  const std::lock_guard lock(mutex_);
  return {bytes_, capacity_, 0};
}

std::string RamCache::Describe() const { return "ram, at most " + RoundedBytes(capacity_); }

}  // namespace flowtrain::storage
