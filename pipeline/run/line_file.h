// A file that only grows, a line at a time. Owned by whoever writes it; any thread may append.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

namespace flowtrain::run {

class LineFile {
 public:
  // Opens or makes it. A last line that was cut short (a killed run) is ended first, so that it
  // spoils no other. Throws Error naming the path.
  explicit LineFile(std::filesystem::path path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Hands the line to the kernel before it returns. Throws Error naming the path and the reason.
  void Append(const std::string& line);

 private:
  const std::filesystem::path path_;
  std::mutex mutex_;  // guards what follows
  int fd_ = -1;
  bool torn_ = false;  // the file ends inside a line
};

}  // namespace flowtrain::run
