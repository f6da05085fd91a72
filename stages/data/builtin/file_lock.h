// An advisory lock on a file, held until destruction or the process's end, however it ends.
#pragma once

#include <filesystem>
#include <functional>

namespace flowtrain::data::builtin {

class FileLock {
 public:
  // Makes the file where it is missing; calls `waiting` every 100 ms while another holds the lock
  // (it may throw). Throws Error where the file can't be made.
  FileLock(const std::filesystem::path& path, const std::function<void()>& waiting);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  // False on a file system without locks.
  bool held() const { return held_; }

 private:
  int file_ = -1;
  bool held_ = false;
};

}  // namespace flowtrain::data::builtin
