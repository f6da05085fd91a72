#include "pipeline/storage/caches.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <system_error>

#include "pipeline/memory/free_memory.h"
#include "pipeline/storage/disk_cache.h"
#include "pipeline/storage/ram_cache.h"
#include "pipeline/storage/rounded_bytes.h"

namespace flowtrain::storage {

Cache* Caches::Of(const std::string& source, const CacheSettings& settings) {
  if (settings.kind == CacheSettings::kNone) return nullptr;
  if (settings.kind == CacheSettings::kRam) {
    std::unique_ptr<Cache>& cache = ram_[source + ' ' + std::to_string(settings.bytes)];
    if (cache == nullptr) {
      const uint64_t free = memory::FreeMemory(), bytes = settings.bytes > 0 ? settings.bytes : (free - std::min(free, promised_)) / 2;
      promised_ += bytes;
      cache = std::make_unique<RamCache>(bytes, [this, source](const std::string& message) { warn_(source + ": cache in memory: " + message); });
    }
    return cache.get();
  }
  // By whatever name it is called.
  std::error_code error;
  std::filesystem::create_directories(settings.folder, error);
  std::filesystem::path place = std::filesystem::canonical(settings.folder, error);
  if (error) place = std::filesystem::absolute(settings.folder).lexically_normal();
  OnDisk& there = disk_[place];
  if (there.cache == nullptr) {
    there.cache = std::make_unique<DiskCache>(settings.folder, settings.bytes, warn_);
    there.bytes = settings.bytes;
    there.source = source;
  }
  if (there.bytes != settings.bytes) {
    const std::string size = there.bytes == 0 ? "no \"cache_bytes\"" : RoundedBytes(there.bytes);
    if (there.source == source) throw Error("the cache " + settings.folder.string() + " had " + size + " in an earlier phase: its size can't change in a run");
    throw Error("the cache " + settings.folder.string() + " is that of \"" + there.source + "\", too, and there it has " + size +
                ": give both the same size, or folders of their own");
  }
  return there.cache.get();
}

}  // namespace flowtrain::storage
