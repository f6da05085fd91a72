#include "pipeline/run/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>

namespace flowtrain::run {
namespace {

constexpr char kSecond[] = "\nstopped at once: a second signal came\n";

bool IsIgnored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals(std::function<void(int)> on_first) : on_first_(std::move(on_first)) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  if (!IsIgnored(SIGHUP)) sigaddset(&stop, SIGHUP);
  // Blocked signals go to the descriptor, also where a shell started us with SIGINT ignored ("&").
  pthread_sigmask(SIG_BLOCK, &stop, &former_mask_);
  signal_fd_ = signalfd(-1, &stop, SFD_CLOEXEC);
  end_fd_ = eventfd(0, EFD_CLOEXEC);
  if (signal_fd_ < 0 || end_fd_ < 0)
    throw std::system_error(errno, std::generic_category(), "signalfd");
  watcher_ = std::thread([this] { Watch(); });
}

StopSignals::~StopSignals() {
  const uint64_t one = 1;
  // An eventfd takes 8 bytes or nothing, and this is its only write.
  [[maybe_unused]] const ssize_t written = write(end_fd_, &one, sizeof one);
  watcher_.join();
  if (caller_.joinable()) caller_.join();
  close(signal_fd_);
  close(end_fd_);
  pthread_sigmask(SIG_SETMASK, &former_mask_, nullptr);
}

void StopSignals::Watch() {
  std::optional<std::chrono::steady_clock::time_point> first;
  while (true) {
    pollfd fds[2] = {{signal_fd_, POLLIN, 0}, {end_fd_, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents) return;
    signalfd_siginfo info{};
    if (read(signal_fd_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) continue;
    const int number = static_cast<int>(info.ssi_signo);
    const auto now = std::chrono::steady_clock::now();
    if (first && now - *first < kSameWish) continue;
    if (first) {
      [[maybe_unused]] const ssize_t written = write(2, kSecond, sizeof kSecond - 1);
      _exit(128 + number);
    }
    first = now;
    // A thread of its own: whatever on_first waits for, the second signal is still heard.
    caller_ = std::thread([this, number] { on_first_(number); });
  }
}

}  // namespace flowtrain::run
