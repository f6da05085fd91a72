#include "pipeline/cli/child_process.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace flowtrain::cli {
namespace {

constexpr const char *kReturned = "returned", *kThrew = "threw";

void WriteLine(int fd, const std::string& kind, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string line = kind + "\t" + text + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = write(fd, line.data() + done, line.size() - done);
    if (n < 0 && errno != EINTR) _exit(1);  // the parent is gone
    if (n > 0) done += static_cast<size_t>(n);
  }
}

[[noreturn]] void RunChild(const std::function<void(const Say&)>& body, int fd) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // A sanitizer's handlers would turn a crash into an exit code.
  for (const int fatal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(fatal, SIG_DFL);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  // Whatever is thrown ends here: above stands the parent's code, which must not run twice.
  std::string threw;
  try {
    body([fd](const std::string& kind, const std::string& text) { WriteLine(fd, kind, text); });
  } catch (const std::exception& error) {
    threw = error.what();
  } catch (...) {
    threw = "something that is no std::exception";
  }
  if (!threw.empty()) {
    WriteLine(fd, kThrew, threw);
    _exit(1);
  }
  WriteLine(fd, kReturned, "");
  _exit(0);
}

// Reads lines until the child closes its end. False: it was silent for too long.
bool Listen(int fd, const Say& heard, int silence_limit_s, bool& returned, std::string& threw) {
  std::string pending;
  char chunk[4096];
  while (true) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, silence_limit_s * 1000);
    if (ready == 0) return false;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t n = read(fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    pending.append(chunk, static_cast<size_t>(n));
    for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
      const size_t tab = pending.find('\t');
      const std::string kind = pending.substr(0, tab);
      if (kind == kReturned) {
        returned = true;
      } else if (kind == kThrew) {
        threw = pending.substr(tab + 1, end - tab - 1);
      } else {
        heard(kind, pending.substr(tab + 1, end - tab - 1));
      }
    }
  }
}

}  // namespace

std::string RunInChild(const std::function<void(const Say&)>& body, const Say& heard,
                       int silence_limit_s) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno) + "; the limit is ulimit -n");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("can't fork: ") + std::strerror(errno) + "; the limits are ulimit -u and the cgroup's pids.max");
  if (child == 0) {
    close(ends[0]);
    RunChild(body, ends[1]);
  }
  close(ends[1]);
  bool returned = false;
  std::string threw;
  const bool in_time = Listen(ends[0], heard, silence_limit_s, returned, threw);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return "said nothing for " + std::to_string(silence_limit_s) + " s and was ended";
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return std::string("crashed (SIG") + (name ? name : std::to_string(WTERMSIG(status))) + ")";
  }
  if (!threw.empty()) return "threw: " + threw;
  return returned ? "" : "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace flowtrain::cli
