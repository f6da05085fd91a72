#include "pipeline/storage/reads.h"

#include <flowtrain/context.h>
#include <flowtrain/error.h>

#include "pipeline/storage/cache_entry.h"

namespace flowtrain::storage {
namespace {

void CheckSize(uint64_t bytes, const std::string& name) {
  if (bytes <= kMostEntryBytes) return;
  throw BadSample("too large", name + ": holds " + std::to_string(bytes) + " bytes, more than the " +
                                   std::to_string(kMostEntryBytes) + " that are read");
}

}  // namespace

std::optional<Buffer> Reads::Find(const CacheKey& key, const std::function<FileStamp()>& stamp) const {
  std::optional<Buffer> found = cached_->cache.Find(key, stamp);
  (found ? cached_->hits : cached_->misses).Add(1);
  return found;
}

void Reads::Keep(const CacheKey& key, const FileStamp& stamp, const Buffer& bytes) const {
  if (!cached_->cache.Keep(key, stamp, bytes) && cached_->unkept != nullptr) ++*cached_->unkept;
}

Buffer Reads::FromStorage(const SourceFile& file, uint64_t at, uint64_t bytes, const std::string& name) const {
  Buffer buffer = Buffer::Allocate(bytes);
  const size_t n = file.ReadAt(at, {buffer.data.get(), buffer.size}, stopping_);
  bytes_.Add(static_cast<double>(n));
  if (n < buffer.size) throw Transient("can't read " + name + ": it became shorter while it was read");
  return buffer;
}

Buffer Reads::File(const std::filesystem::path& path) const {
  const CacheKey key = cached_ ? KeyOfFile(path) : CacheKey{};
  std::optional<Buffer> buffer;
  if (cached_) buffer = Find(key, [&] { return StampOf(path); });
  if (!buffer) {
    const SourceFile file(path);
    CheckSize(file.stamp().bytes, path.string());
    buffer = FromStorage(file, 0, file.stamp().bytes, path.string());
    // Else the bytes may be of both.
    if (file.StampNow() != file.stamp()) throw Transient("can't read " + path.string() + ": it changed while it was read");
    if (cached_) Keep(key, file.stamp(), *buffer);
  }
  buffer->path = path.string();
  return std::move(*buffer);
}

Buffer Reads::Part(const FilePart& part) const {
  const std::string name = part.path.string() + "/" + part.name;
  CheckSize(part.bytes, name);
  const CacheKey key = cached_ ? KeyOfPart(part) : CacheKey{};
  std::optional<Buffer> buffer;
  if (cached_) buffer = Find(key, [&] { return part.of; });
  if (!buffer) {
    const SourceFile file(part.path);
    const auto check = [&part](const FileStamp& stamp) {
      if (stamp != part.of) throw Error(part.path.string() + " has changed since it was indexed: start the run again");
    };
    check(file.stamp());
    buffer = FromStorage(file, part.at, part.bytes, name);
    check(file.StampNow());  // else the bytes may be of both
    if (cached_) Keep(key, part.of, *buffer);
  }
  buffer->path = name;
  return std::move(*buffer);
}

}  // namespace flowtrain::storage
