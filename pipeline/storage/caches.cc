#include "pipeline/storage/caches.h"

#include <flowtrain/error.h>

#include "pipeline/storage/disk_cache.h"
#include "pipeline/storage/free_memory.h"
#include "pipeline/storage/ram_cache.h"
#include "pipeline/storage/rounded_bytes.h"

namespace flowtrain::storage {

Cache* Caches::Of(const std::string& source, const CacheSettings& settings) {
  if (settings.kind == CacheSettings::kNone) return nullptr;
  if (settings.kind == CacheSettings::kRam) {
    std::unique_ptr<Cache>& cache = ram_[source + ' ' + std::to_string(settings.bytes)];
    if (cache == nullptr) {
      const uint64_t bytes = settings.bytes > 0 ? settings.bytes : FreeMemory() / 2;
      cache = std::make_unique<RamCache>(bytes, [this, source](const std::string& message) { warn_(source + ": cache in memory: " + message); });
    }
    return cache.get();
  }
  OnDisk& there = disk_[std::filesystem::absolute(settings.folder).lexically_normal()];
  if (there.cache == nullptr) {
    there.cache = std::make_unique<DiskCache>(settings.folder, settings.bytes, warn_);
    there.bytes = settings.bytes;
    there.source = source;
  }
  if (there.bytes != settings.bytes) {
    throw Error("the cache " + settings.folder.string() + " is that of \"" + there.source + "\", too, and there it has " +
                (there.bytes == 0 ? "no \"cache_bytes\"" : RoundedBytes(there.bytes)) + ": give both the same size, or folders of their own");
  }
  return there.cache.get();
}

}  // namespace flowtrain::storage
