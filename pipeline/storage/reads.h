// Reads bytes for a source: from its cache where they are kept, else from storage, and then they are
// kept. Any thread.
#pragma once

#include <flowtrain/metrics.h>
#include <flowtrain/sample.h>
#include <flowtrain/source_file.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/storage/cache.h"

namespace flowtrain::storage {

// A cache, and what counts how often it had what was asked for.
struct Cached {
  Cache& cache;
  Counter &hits, &misses;
  std::atomic<uint64_t>* unkept = nullptr;  // what was missed and not kept; null: not counted
};

class Reads {
 public:
  // `bytes` counts what is read from storage. `stopping` is asked between pieces.
  Reads(const std::optional<Cached>& cached, Counter& bytes, std::function<bool()> stopping)
      : cached_(cached), bytes_(bytes), stopping_(std::move(stopping)) {}
  // What ReadContext promises.
  Buffer File(const std::filesystem::path& path) const;
  Buffer Part(const FilePart& part) const;

 private:
  std::optional<Buffer> Find(const CacheKey& key, const std::function<FileStamp()>& stamp) const;
  void Keep(const CacheKey& key, const FileStamp& stamp, const Buffer& bytes) const;

  const std::optional<Cached> cached_;
  Counter& bytes_;
  const std::function<bool()> stopping_;
};

}  // namespace flowtrain::storage
