// Encoded bytes kept nearer than where they come from. A cache is asked before storage and told
// afterwards; what it can't keep it does without. Owned by the run (caches.h); any thread.
#pragma once

#include <flowtrain/sample.h>
#include <flowtrain/source_file.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace flowtrain::storage {

// Which bytes: of a file, whole or a piece of it.
struct CacheKey {
  uint64_t high = 0, low = 0;
  bool operator==(const CacheKey&) const = default;
};
struct CacheKeyHash {
  size_t operator()(const CacheKey& key) const { return key.low; }
};
CacheKey KeyOfFile(const std::filesystem::path& path);
CacheKey KeyOfPart(const FilePart& part);

struct CacheUse {
  uint64_t bytes = 0;      // kept of what this run read
  uint64_t capacity = 0;   // of all that is kept
  uint64_t evictions = 0;  // entries dropped: of a file that changed, damaged, or to make room
};

class Cache {
 public:
  virtual ~Cache() = default;
  // The bytes, where they are kept and their file is still the one they were read from; `stamp` tells
  // which one it is now (the network is asked at most once a run and entry).
  virtual std::optional<Buffer> Find(const CacheKey& key, const std::function<FileStamp()>& stamp) = 0;
  // `stamp`: of the file that `bytes` were read from. False: they are not kept, for which the reason was
  // said once.
  virtual bool Keep(const CacheKey& key, const FileStamp& stamp, const Buffer& bytes) = 0;
  virtual CacheUse use() const = 0;
  // "ram, at most 4.0 GiB"
  virtual std::string Describe() const = 0;
};

// Where a cache says what a user should know, each message once.
using Say = std::function<void(const std::string& message)>;

}  // namespace flowtrain::storage
