// Says which plugin it was, where a process ends while a plugin is opened: its constructors and its
// registration are foreign code, and may crash or call exit. The loader has one beside each dlopen.
#pragma once

#include <csignal>

#include <filesystem>
#include <string>

namespace flowtrain::plugin {

// One at a time. A crash is told on standard error and then takes its usual way.
class OpeningGuard {
 public:
  explicit OpeningGuard(const std::filesystem::path& path);
  ~OpeningGuard();
  OpeningGuard(const OpeningGuard&) = delete;
  OpeningGuard& operator=(const OpeningGuard&) = delete;

 private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  static void OnSignal(int number, siginfo_t* info, void*);
  static void OnExit();

  const std::string line_;
  stack_t former_stack_{};
};

}  // namespace flowtrain::plugin
