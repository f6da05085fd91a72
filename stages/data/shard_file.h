// A tar file that is read at any place: opened for one sample, or for the pass over its headers.
// One thread an object.
#pragma once

#include <flowtrain/context.h>
#include <flowtrain/sample.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

namespace flowtrain::data {

// What tells whether a file is the one that was indexed.
struct FileState {
  uint64_t bytes = 0;
  int64_t modified_ns = 0;
  bool operator==(const FileState&) const = default;
};

class ShardFile {
 public:
  // Throws Transient for storage faults, Error for a file that is not there or no regular one.
  explicit ShardFile(const std::filesystem::path& path);
  ShardFile(const ShardFile&) = delete;
  ShardFile& operator=(const ShardFile&) = delete;
  ~ShardFile();

  // When it was opened, and now. Throws Transient, Error.
  const FileState& state() const { return state_; }
  FileState StateNow() const;
  // As many bytes as there are from `at` on, at most into.size(). `stopping` is asked between
  // pieces: true throws Cancelled. Throws Transient, Error.
  size_t ReadAt(uint64_t at, std::span<uint8_t> into, const std::function<bool()>& stopping) const;

 private:
  const std::filesystem::path path_;
  int file_ = -1;
  FileState state_;
};

}  // namespace flowtrain::data
