#include "model/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace flowtrain::model {

MappedFile::MappedFile(const std::filesystem::path& path) {
  // O_NONBLOCK: a FIFO without a writer would be waited for; it changes nothing for a regular file.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "cannot be opened");
  struct stat status = {};
  int error = ::fstat(fd, &status) == 0 ? 0 : errno;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  const bool regular = S_ISREG(status.st_mode);
  if (error == 0 && regular && status.st_size > 0) {
    void* mapped = ::mmap(nullptr, status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED) {
      error = errno;
    } else {
      data_ = static_cast<char*>(mapped);
      size_ = status.st_size;
    }
  }
  ::close(fd);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot be read");
  if (!regular) throw std::runtime_error("cannot be read: it is a device, a FIFO or a socket");
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace flowtrain::model
