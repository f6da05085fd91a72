// Preloaded: opening a file whose path holds WATCHED_FILES takes SLOW_OPEN_MS, as over a network, and is a line of
// OPENED_LOG.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

using Function = int (*)(const char*, int, ...);

int Open(const char* symbol, const char* path, int flags, mode_t mode) {
  static const char* const part = std::getenv("WATCHED_FILES");
  static const char* const log = std::getenv("OPENED_LOG");
  static const long ms = std::getenv("SLOW_OPEN_MS") != nullptr ? std::atol(std::getenv("SLOW_OPEN_MS")) : 0;
  const auto open_for_real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, symbol));
  const bool reads = (flags & (O_CREAT | O_DIRECTORY)) == 0;
  if (part != nullptr && reads && std::strstr(path, part) != nullptr) {
    if (ms > 0) {
      const timespec pause{ms / 1000, ms % 1000 * 1'000'000};
      nanosleep(&pause, nullptr);
    }
    if (log != nullptr) {
      const int file = open_for_real(log, O_WRONLY | O_APPEND | O_CREAT, 0644);
      const std::string line = std::string(path) + "\n";
      if (write(file, line.data(), line.size()) < 0) std::abort();
      close(file);
    }
  }
  return open_for_real(path, flags, mode);
}

mode_t ModeOf(int flags, va_list arguments) { return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0; }

}  // namespace

extern "C" __attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open("open", path, flags, mode);
}

extern "C" __attribute__((visibility("default"))) int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open("open64", path, flags, mode);
}
