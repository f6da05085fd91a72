#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "pipeline/run/signals.h"

using flowtrain::run::StopSignals;
using namespace std::chrono_literals;

namespace {

// A process of its own that runs `body` and says through `out` what happens in it; its stderr is
// there too.
struct Child {
  explicit Child(const std::function<void(int out)>& body) {
    int pipe_fds[2];
    REQUIRE(pipe(pipe_fds) == 0);
    pid = fork();
    if (pid == 0) {
      close(pipe_fds[0]);
      dup2(pipe_fds[1], 2);
      signal(SIGTERM, SIG_DFL);  // doctest has handlers of its own
      signal(SIGINT, SIG_DFL);
      signal(SIGHUP, SIG_DFL);
      body(pipe_fds[1]);
      _exit(0);
    }
    close(pipe_fds[1]);
    in = pipe_fds[0];
  }
  ~Child() { close(in); }
  std::string Read(size_t bytes) {
    std::string out(bytes, 0);
    size_t done = 0;
    for (ssize_t n; done < bytes && (n = read(in, out.data() + done, bytes - done)) > 0;)
      done += static_cast<size_t>(n);
    out.resize(done);
    return out;
  }
  int Wait() {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  pid_t pid;
  int in;
};

void Say(int out, const std::string& text) {
  CHECK(write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace

TEST_CASE("the first signal calls back once on an ordinary thread, and the process goes on") {
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    Child child([](int out) {
      const auto main_thread = std::this_thread::get_id();
      StopSignals signals([&](int n) {
        Say(out, std::to_string(n) + (std::this_thread::get_id() == main_thread ? "m" : "t"));
      });
      Say(out, "r");
      usleep(150000);
      Say(out, "end");
    });
    CHECK(child.Read(1) == "r");
    kill(child.pid, number);
    CHECK(child.Read(100) == std::to_string(number) + "tend");
    CHECK(child.Wait() == 0);
  }
}

TEST_CASE("a second signal, a second later, ends the process at once with 128 + its number and one line") {
  for (int second : {SIGINT, SIGTERM, SIGHUP}) {
    Child child([](int out) {
      StopSignals signals([&](int) {
        Say(out, "f");
        std::this_thread::sleep_for(60s);  // a call back that is stuck must not hold the second one
      });
      Say(out, "r");
      std::this_thread::sleep_for(60s);
    });
    CHECK(child.Read(1) == "r");
    kill(child.pid, SIGINT);
    CHECK(child.Read(1) == "f");
    std::this_thread::sleep_for(StopSignals::kSameWish + 50ms);
    const auto start = std::chrono::steady_clock::now();
    kill(child.pid, second);
    CHECK(child.Wait() == 128 + second);
    CHECK(std::chrono::steady_clock::now() - start < 2s);
    CHECK(child.Read(200) == "\nstopped at once: a second signal came\n");
  }
}

TEST_CASE("signals that come together are one") {
  for (int second : {SIGTERM, SIGHUP}) {
    Child child([](int out) {
      StopSignals signals([&](int) { Say(out, "f"); });
      Say(out, "r");
      usleep(300000);
      Say(out, "end");
    });
    CHECK(child.Read(1) == "r");
    kill(child.pid, SIGTERM);
    CHECK(child.Read(1) == "f");
    kill(child.pid, second);
    CHECK(child.Read(100) == "end");
    CHECK(child.Wait() == 0);
  }
}

TEST_CASE("a run under nohup hears no SIGHUP") {
  Child child([](int out) {
    signal(SIGHUP, SIG_IGN);
    StopSignals signals([&](int) { Say(out, "f"); });
    Say(out, "r");
    usleep(150000);
    Say(out, "end");
  });
  CHECK(child.Read(1) == "r");
  kill(child.pid, SIGHUP);
  CHECK(child.Read(100) == "end");
  CHECK(child.Wait() == 0);
}

TEST_CASE(
    "threads started later never see the signal, and it is heard where a shell had it ignored") {
  Child child([](int out) {
    signal(SIGINT, SIG_IGN);
    StopSignals signals([&](int) { Say(out, "f"); });
    std::thread busy([&] {
      Say(out, "r");
      const auto until = std::chrono::steady_clock::now() + 150ms;
      while (std::chrono::steady_clock::now() < until) {
      }
    });
    busy.join();
    Say(out, "e");
  });
  CHECK(child.Read(1) == "r");
  kill(child.pid, SIGINT);
  CHECK(child.Read(10) == "fe");
  CHECK(child.Wait() == 0);
}

TEST_CASE("when it has ended, signals do again what they did before") {
  Child child([](int out) {
    {
      StopSignals signals([](int) {});
    }
    Say(out, "r");
    std::this_thread::sleep_for(60s);
  });
  CHECK(child.Read(1) == "r");
  kill(child.pid, SIGTERM);
  CHECK(child.Wait() == -SIGTERM);
}
