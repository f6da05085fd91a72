#include "pipeline/storage/reads.h"

namespace flowtrain::storage {

std::optional<Buffer> Reads::Find(const CacheKey& key, const std::function<FileStamp()>& stamp) const {
  std::optional<Buffer> found = cached_->cache.Find(key, stamp);
  (found ? cached_->hits : cached_->misses).Add(1);
  return found;
}

void Reads::Keep(const CacheKey& key, const FileStamp& stamp, const Buffer& bytes) const {
  if (!cached_->cache.Keep(key, stamp, bytes) && cached_->unkept != nullptr) ++*cached_->unkept;
}

Buffer Reads::File(const std::filesystem::path& path) const {
  const CacheKey key = cached_ ? KeyOfFile(path) : CacheKey{};
  std::optional<Buffer> buffer;
  if (cached_) buffer = Find(key, [&] { return StampOf(path); });
  if (!buffer) {
    FileStamp of;
    buffer = ReadWhole(path, stopping_, &of);
    bytes_.Add(static_cast<double>(buffer->size));
    if (cached_) Keep(key, of, *buffer);
  }
  buffer->path = path.string();
  return std::move(*buffer);
}

Buffer Reads::Part(const FilePart& part) const {
  const CacheKey key = cached_ ? KeyOfPart(part) : CacheKey{};
  std::optional<Buffer> buffer;
  if (cached_) buffer = Find(key, [&] { return part.of; });
  if (!buffer) {
    buffer = ReadPiece(part, stopping_);
    bytes_.Add(static_cast<double>(buffer->size));
    if (cached_) Keep(key, part.of, *buffer);
  }
  buffer->path = PathOf(part);
  return std::move(*buffer);
}

}  // namespace flowtrain::storage
