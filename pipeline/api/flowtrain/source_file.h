// A regular file that is read at any place. For sources that look into files themselves while they open
// (an index, a header); in Read they use the ReadContext, which counts and caches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include <flowtrain/export.h>

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

}  // namespace flowtrain
