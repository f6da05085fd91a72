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

bool RamCache::Keep(const CacheKey& key, const FileStamp&, const Buffer& bytes) {
  std::shared_ptr<const std::vector<uint8_t>> entry;
  {
    const std::lock_guard lock(mutex_);
    if (entries_.contains(key)) return true;
    if (out_of_memory_ || (full_ && bytes_ + bytes.size > capacity_)) return false;
  }
  std::string why;
  try {
    entry = std::make_shared<const std::vector<uint8_t>>(bytes.data.get(), bytes.data.get() + bytes.size);
  } catch (const std::bad_alloc&) {
  }
  {
    const std::lock_guard lock(mutex_);
    if (entry == nullptr) {
      if (!out_of_memory_) why = "there is no memory for more than " + RoundedBytes(bytes_);
      out_of_memory_ = true;
      // The run goes on only if others find some.
      for (uint64_t left = bytes_ / 4 * 3; bytes_ > left && !entries_.empty();) {
        bytes_ -= entries_.begin()->second->size();
        entries_.erase(entries_.begin());
        ++evictions_;
      }
    } else if (bytes_ + bytes.size > capacity_) {
      if (!full_) why = "its " + RoundedBytes(capacity_) + " are used up";
      full_ = true;
    } else {
      if (entries_.emplace(key, std::move(entry)).second) bytes_ += bytes.size;
      return true;
    }
  }
  if (!why.empty()) say_(why + ": what does not fit is read from storage each time");
  return false;
}

CacheUse RamCache::use() const {
  const std::lock_guard lock(mutex_);
  return {bytes_, capacity_, evictions_};
}

std::string RamCache::Describe() const { return "ram, at most " + RoundedBytes(capacity_); }

}  // namespace flowtrain::storage
