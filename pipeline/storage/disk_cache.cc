#include "pipeline/storage/disk_cache.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "pipeline/storage/cache_entry.h"
#include "pipeline/storage/rounded_bytes.h"

namespace flowtrain::storage {
namespace {

namespace fs = std::filesystem;

std::optional<CacheKey> KeyOfName(const std::string& name) {
  CacheKey key;
  if (name.size() != 32) return std::nullopt;
  const char* text = name.data();
  for (uint64_t* half : {&key.high, &key.low}) {
    const auto [end, error] = std::from_chars(text, text + 16, *half, 16);
    if (error != std::errc() || end != text + 16) return std::nullopt;
    text = end;
  }
  return key;
}

}  // namespace

DiskCache::DiskCache(fs::path folder, uint64_t capacity, Say say)
    : folder_(std::move(folder) / ".flowtrain-cache"), drafts_(folder_ / "drafts"), asked_(capacity), say_(std::move(say)), capacity_(capacity) {
  std::error_code error;
  fs::create_directories(drafts_, error);
  // One that somebody else filled may be read only.
  if (error && !fs::is_directory(folder_)) {
    throw Error("can't make the cache folder " + folder_.parent_path().string() + ": " + error.message());
  }
}

fs::path DiskCache::PathOf(const CacheKey& key) const {
  char name[40];
  std::snprintf(name, sizeof name, "%02x/%016llx%016llx", static_cast<unsigned>(key.high >> 56),
                static_cast<unsigned long long>(key.high), static_cast<unsigned long long>(key.low));
  return folder_ / name;
}

std::optional<Buffer> DiskCache::Find(const CacheKey& key, const std::function<FileStamp()>& stamp) {
  const fs::path path = PathOf(key);
  CacheEntry entry;
  const EntryState state = ReadEntry(path, key, entry);
  if (state == EntryState::kAbsent) return std::nullopt;
  bool known = false;
  {
    const std::lock_guard lock(mutex_);
    known = used_.contains(key);
  }
  bool changed = false;
  if (state == EntryState::kWhole && !known) {
    try {
      changed = stamp() != entry.of;
    } catch (const Error&) {
      return std::nullopt;  // the file is gone, or the network away: the read that follows tells it
    }
  }
  if (state == EntryState::kDamaged || changed) {
    Drop(key, entry.bytes.size);
    return std::nullopt;
  }
  if (!known) {
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now: others go first
    const std::lock_guard lock(mutex_);
    Use(key, entry.bytes.size + kEntryHeaderBytes);
  }
  return std::move(entry.bytes);
}

void DiskCache::Drop(const CacheKey& key, uint64_t bytes) {
  ::unlink(PathOf(key).c_str());
  bytes += kEntryHeaderBytes;
  const std::lock_guard lock(mutex_);
  if (const auto used = used_.find(key); used != used_.end()) {
    used_bytes_ -= used->second;
    used_.erase(used);
  }
  if (counted_) bytes_ -= std::min(bytes_, bytes);
  ++evictions_;
}

bool DiskCache::Keep(const CacheKey& key, const FileStamp& stamp, const Buffer& bytes) {
  const uint64_t size = bytes.size + kEntryHeaderBytes;
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    if (used_.contains(key)) return true;
    if (off_) return false;
    if (!counted_) TakeStock();
    if (MakeRoom(size)) {
      bytes_ += size;
    } else if (full_) {
      return false;
    } else {
      full_ = true;
      why = "its " + RoundedBytes(capacity_) + " are used up: what does not fit";
    }
  }
  if (why.empty()) {
    const int fault = WriteEntry(PathOf(key), drafts_, key, stamp, bytes);
    const std::lock_guard lock(mutex_);
    if (fault == 0) {
      Use(key, size);
      return true;
    }
    bytes_ -= std::min(bytes_, size);
    // What is in the entry's place is in no other's.
    if (off_ || fault == EAGAIN || fault == EISDIR || fault == ENOTEMPTY || fault == EEXIST) return false;
    off_ = true;
    why = std::generic_category().message(fault) + ": nothing more is kept there, and what else is read";
  }
  say_("cache " + folder_.parent_path().string() + ": " + why + " comes from its source each time");
  return false;
}

void DiskCache::Use(const CacheKey& key, uint64_t bytes) {
  if (used_.emplace(key, bytes).second) used_bytes_ += bytes;
}

void DiskCache::TakeStock() {
  counted_ = true;
  RemoveDrafts(drafts_);
  EachIn(folder_, [this](const fs::path& folder) {
    if (folder == drafts_) return;
    EachIn(folder, [this](const fs::path& file) {
      const std::optional<CacheKey> key = KeyOfName(file.filename().native());
      struct stat info {};
      if (!key || ::lstat(file.c_str(), &info) != 0) return;
      const auto bytes = static_cast<uint64_t>(info.st_size);
      bytes_ += bytes;
      old_.push_back({info.st_mtim.tv_sec * 1'000'000'000ll + info.st_mtim.tv_nsec, bytes, *key});
    });
  });
  std::sort(old_.begin(), old_.end(), [](const Old& a, const Old& b) { return a.used_ns > b.used_ns; });
  if (asked_ > 0) return;
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  if (!error) capacity_ = bytes_ + space.available / 10 * 9;
}

bool DiskCache::MakeRoom(uint64_t bytes) {
  if (used_bytes_ + bytes > capacity_) return false;  // nothing is dropped in vain
  while (bytes_ + bytes > capacity_ && !old_.empty()) {
    const Old oldest = old_.back();
    old_.pop_back();
    if (used_.contains(oldest.key)) continue;
    const bool dropped = ::unlink(PathOf(oldest.key).c_str()) == 0;
    if (dropped || errno == ENOENT) bytes_ -= std::min(bytes_, oldest.bytes);  // or another program did
    if (dropped) ++evictions_;
  }
  return bytes_ + bytes <= capacity_;
}

CacheUse DiskCache::use() const {
  const std::lock_guard lock(mutex_);
  return {used_bytes_, capacity_, evictions_};
}

std::string DiskCache::Describe() const {
  return "disk " + folder_.parent_path().string() + (asked_ > 0 ? ", at most " + RoundedBytes(asked_) : "");
}

}  // namespace flowtrain::storage
