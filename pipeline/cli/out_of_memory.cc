#include "pipeline/cli/out_of_memory.h"

#include <unistd.h>

#include <exception>
#include <new>

namespace flowtrain::cli {
namespace {

constexpr char kLine[] = "flowtrain: memory ran out (the limits are ulimit -v and the cgroup's memory.max)\n";

thread_local bool ran_out = false;
std::terminate_handler other = nullptr;

[[noreturn]] void OnNew() {
  ran_out = true;
  throw std::bad_alloc();
}

[[noreturn]] void OnTerminate() {
  if (ran_out) {
    [[maybe_unused]] const ssize_t written = write(2, kLine, sizeof kLine - 1);
    _exit(1);
  }
  other();
  __builtin_unreachable();  // a terminate handler does not return
}

}  // namespace

void EndWhereMemoryRanOut() {
  std::set_new_handler(OnNew);
  other = std::set_terminate(OnTerminate);
}

}  // namespace flowtrain::cli
