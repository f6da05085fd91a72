// A regular file that is read at any place. For sources that look into files themselves while they open
// (an index, a header); in Read they use the ReadContext, which counts and caches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include <flowtrain/export.h>
#include <flowtrain/sample.h>

namespace flowtrain {

// What tells a file from another one that took its name.
struct FileStamp {
  uint64_t bytes = 0;
  int64_t modified_ns = 0;  // since 1970
  bool operator==(const FileStamp&) const = default;
};

// A piece of a larger file: a member of a shard.
struct FilePart {
  std::filesystem::path path;
  uint64_t at = 0, bytes = 0;
  FileStamp of;      // the file when the piece was found in it
  std::string name;  // of the piece, for messages
};

// Of the file under that name, without opening it. Throws Transient, Error.
FLOWTRAIN_API FileStamp StampOf(const std::filesystem::path& path);

// One thread an object.
class FLOWTRAIN_API SourceFile {
 public:
  // Throws Transient for storage faults, BadSample ("no regular file") for a FIFO, a device, a socket or
  // a folder, Error for a file that is not there or may not be read.
  explicit SourceFile(const std::filesystem::path& path);
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;
  ~SourceFile();

  // When it was opened, and now. Throws Transient, Error.
  const FileStamp& stamp() const { return stamp_; }
  FileStamp StampNow() const;
  // As many bytes as there are from `at` on, at most into.size(). `stopping` is asked between pieces of
  // 8 MiB: true throws Cancelled. Throws Transient, Error.
  size_t ReadAt(uint64_t at, std::span<uint8_t> into, const std::function<bool()>& stopping) const;

 private:
  const std::filesystem::path path_;
  int file_ = -1;
  FileStamp stamp_;
};

// All bytes of the file; `of`, where it is not null, becomes the file's stamp. Throws what SourceFile
// throws, BadSample ("too large") above kMostSampleBytes, Transient where the file changes meanwhile.
inline constexpr uint64_t kMostSampleBytes = 1ull << 30;  // a picture has no more
FLOWTRAIN_API Buffer ReadWhole(const std::filesystem::path& path, const std::function<bool()>& stopping, FileStamp* of = nullptr);
// The piece's bytes, likewise. Throws Error where the file is another than the piece was found in, or
// becomes so meanwhile. The buffer's path is PathOf(part).
FLOWTRAIN_API Buffer ReadPiece(const FilePart& part, const std::function<bool()>& stopping);
FLOWTRAIN_API std::string PathOf(const FilePart& part);  // "shards/a.tar/0001.jpg", for messages

}  // namespace flowtrain
