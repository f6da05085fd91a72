#include "stages/data/builtin/file_lock.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace flowtrain::data::builtin {

FileLock::FileLock(const std::filesystem::path& path, const std::function<void()>& waiting) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw Error(path.string() + " can't be made: " + std::generic_category().message(errno));
  }
  try {
    while (!(held_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0) &&
           (errno == EWOULDBLOCK || errno == EINTR)) {
      waiting();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  } catch (...) {
    ::close(file_);
    throw;
  }
}

FileLock::~FileLock() { ::close(file_); }

}  // namespace flowtrain::data::builtin
