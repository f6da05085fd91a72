#include "pipeline/plugin/opening_guard.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace flowtrain::plugin {
namespace {

// What a signal handler may look at: the line of the plugin that is being opened, null: none is.
std::atomic<const std::string*> line{nullptr};
struct sigaction former[NSIG];
char stack[1 << 16];  // a constructor may have used up the thread's own

// False: no plugin is being opened.
bool Say() {
  const std::string* said = line.exchange(nullptr);
  if (said == nullptr) return false;
  [[maybe_unused]] const ssize_t written = write(2, said->data(), said->size());
  return true;
}

}  // namespace

OpeningGuard::OpeningGuard(const std::filesystem::path& path)
    : line_("flowtrain: the process ended while the plugin " + path.string() + " was opened\n") {
  static const bool registered = std::atexit(OnExit) == 0;
  (void)registered;
  line = &line_;
  const stack_t own{stack, 0, sizeof stack};
  sigaltstack(&own, &former_stack_);
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : kSignals) sigaction(number, &action, &former[number]);
}

OpeningGuard::~OpeningGuard() {
  for (const int number : kSignals) sigaction(number, &former[number], nullptr);
  sigaltstack(&former_stack_, nullptr);
  line = nullptr;
}

void OpeningGuard::OnSignal(int number, siginfo_t* info, void*) {
  Say();
  // An instruction that faults does so again when this returns; what was sent has to be sent again.
  sigaction(number, &former[number], nullptr);
  if (info->si_code <= 0) raise(number);
}

// However the plugin called it, it is no good end.
void OpeningGuard::OnExit() {
  if (Say()) _exit(1);
}

}  // namespace flowtrain::plugin
