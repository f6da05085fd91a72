// Files that people name: read only where they are regular ones, so that nothing waits for somebody who
// writes into a FIFO, and nothing reads a device without an end. Plain functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace flowtrain::config {

// An open regular file, or why there is none. Owns the descriptor.
class RegularFile {
 public:
  // Never waits, whatever stands there.
  explicit RegularFile(const std::filesystem::path& path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  // "this is a folder", "this is no regular file", "can't be read: No such file or directory"; empty: it
  // is open.
  const std::string& why_not() const { return why_not_; }
  uint64_t size() const { return size_; }
  // Up to `bytes` of what follows; 0 at the end. Less than 0: it can't be read, and why_not says so.
  std::ptrdiff_t Read(char* into, size_t bytes);
  // All that follows, up to `most` bytes and a piece; empty and why_not where it can't be read.
  std::string ReadAll(size_t most = SIZE_MAX);

 private:
  void Fail();

  int fd_ = -1;
  uint64_t size_ = 0;
  std::string why_not_;
};

}  // namespace flowtrain::config
