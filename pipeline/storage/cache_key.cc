#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pipeline/storage/cache.h"

namespace flowtrain::storage {
namespace {

// The same file has the same key wherever the program is started.
CacheKey Hash(const std::filesystem::path& path, const std::string& place) {
  const std::string text = std::filesystem::absolute(path).lexically_normal().native() + '\0' + place;
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

}  // namespace

CacheKey KeyOfFile(const std::filesystem::path& path) { return Hash(path, ""); }

CacheKey KeyOfPart(const FilePart& part) {
  return Hash(part.path, std::to_string(part.at) + '+' + std::to_string(part.bytes));
}

}  // namespace flowtrain::storage
