#include <doctest/doctest.h>
#include <fcntl.h>
#include <flowtrain/error.h>
#include <unistd.h>

#include <regex>

#include "pipeline/run/log.h"
#include "pipeline/run/terminal.h"
#include "run/pty.h"
#include "run/temp_folder.h"

using namespace flowtrain;
using flowtrain::run::Log;
using flowtrain::run::Terminal;
using flowtrain::testing::Slurp;
using flowtrain::ScratchFolder;

TEST_CASE("one line a message, on stderr and in the file, also what came before the file") {
  ScratchFolder dir;
  const int fd = open((dir.path() / "stderr").c_str(), O_CREAT | O_WRONLY, 0600);
  {
    Terminal terminal(fd);
    Log log(terminal);
    log.Info("before");
    log.OpenFile(dir.path() / "log.txt");
    log.Warn("two\nlines, 100% {}");
    log.Error("bad");
    CHECK(std::regex_match(
        Slurp(dir.path() / "stderr"),
        std::regex(
            R"(\d\d:\d\d:\d\d info     before\n\d\d:\d\d:\d\d warning  two \| lines, 100% \{\}\n\d\d:\d\d:\d\d error    bad\n)")));
    CHECK(std::regex_match(
        Slurp(dir.path() / "log.txt"),
        std::regex(
            R"(\d{4}-\d\d-\d\d [\d:]{8} info     before\n[-\d]+ [\d:]{8} warning  two \| lines, 100% \{\}\n[-\d]+ [\d:]{8} error    bad\n)")));
  }
  close(fd);
}

TEST_CASE("a message holds nothing that steers a terminal, and every other character as it is") {
  ScratchFolder dir;
  const int fd = open((dir.path() / "stderr").c_str(), O_CREAT | O_WRONLY, 0600);
  {
    Terminal terminal(fd);
    Log log(terminal);
    // U+0080, U+009B (an escape sequence's beginning) and U+009F; U+00A0, U+00C2 and U+009x's bytes
    // within U+4E9B are none of them.
    log.Info(
        "a\x1b[2J b\x7f c\xC2\x80 d\xC2\x9B"
        "2J e\xC2\x9F \xC2\xA0 \xC3\x82 \xE4\xBA\x9B \xC2");
  }
  CHECK(Slurp(dir.path() / "stderr")
            .ends_with("a?[2J b? c? d?2J e? \xC2\xA0 \xC3\x82 \xE4\xBA\x9B \xC2\n"));
  close(fd);
}

TEST_CASE("a log file on a full disk is said once and ends nothing") {
  ScratchFolder dir;
  const int fd = open((dir.path() / "stderr").c_str(), O_CREAT | O_WRONLY, 0600);
  Terminal terminal(fd);
  Log log(terminal);
  log.OpenFile("/dev/full");
  log.Info("one");
  log.Info("two");
  const std::string text = Slurp(dir.path() / "stderr");
  CHECK(text.find("/dev/full: cannot be written: No space left on device") != std::string::npos);
  CHECK(text.find("/dev/full") == text.rfind("/dev/full"));
  CHECK(text.find("two") != std::string::npos);
  CHECK_THROWS_AS(log.OpenFile(dir.path() / "missing" / "log.txt"), flowtrain::Error);
  close(fd);
}

TEST_CASE("on a terminal a message clears the progress line, which comes back below it") {
  testing::Pty pty(60);
  if (!pty.ok()) {
    MESSAGE("skipped: no pseudo terminal");
    return;
  }
  Terminal terminal(pty.fd());
  REQUIRE(terminal.interactive());
  CHECK(terminal.width() == 60);
  Log log(terminal);
  terminal.SetStatus("progress 1");
  log.Warn("careful");
  CHECK(std::regex_match(
      pty.Read(),
      std::regex(
          "\r\x1b\\[Kprogress 1\r\x1b\\[K\\d\\d:\\d\\d:\\d\\d warning  careful\r\nprogress 1")));
  terminal.SetStatus("");
  CHECK(pty.Read() == "\r\x1b[K");
  terminal.SetStatus("");
  CHECK(pty.Read() == "");
}
