#include "pipeline/config/read_graph_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace flowtrain::config {

std::string ReadGraphFile(const std::filesystem::path& file, std::string& why) {
  struct File {
    int fd;
    ~File() {
      if (fd >= 0) close(fd);
    }
    // A FIFO would wait for a writer.
  } opened{open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  struct stat info {};
  std::string text;
  const auto failed = [&] { why = std::string("can't be read: ") + std::strerror(errno); };
  if (opened.fd < 0 || fstat(opened.fd, &info) != 0) {
    failed();
  } else if (S_ISDIR(info.st_mode)) {
    why = "this is a folder; expected a graph file";
  } else if (!S_ISREG(info.st_mode)) {
    why = "this is no regular file; expected a graph file";
  } else if (static_cast<size_t>(info.st_size) > kMostGraphBytes) {
    why = "this file has " + std::to_string(info.st_size) + " bytes; a graph has at most 64 MiB";
  } else {
    char piece[1 << 16];
    ssize_t n = 0;
    // One that grows while it is read is cut off.
    while (text.size() <= kMostGraphBytes && (n = read(opened.fd, piece, sizeof piece)) != 0) {
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        failed();
        return "";
      }
      text.append(piece, static_cast<size_t>(n));
    }
    if (text.empty()) why = "this file is empty; expected a graph";
  }
  return text;
}

}  // namespace flowtrain::config
