#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>

#include "pipeline/run/progress.h"
#include "pipeline/run/terminal.h"
#include "run/pty.h"
#include "run/temp_folder.h"

using namespace flowtrain;
using namespace flowtrain::run;
using flowtrain::testing::Slurp;
using flowtrain::ScratchFolder;
using namespace std::chrono_literals;

namespace {

ProgressReport Train(uint64_t epoch, uint64_t step, double loss) {
  ProgressReport r;
  r.epoch = epoch;
  r.epochs = 14;
  r.step = step;
  r.steps = 24;
  r.total_steps = 14 * 24;
  r.done_steps = (epoch - 1) * 24 + step;
  r.loss = loss;
  r.has_loss = true;
  return r;
}

}  // namespace

TEST_CASE("the line shows epoch, step, time, rates, loss, waiting and GPU") {
  ProgressLine line{Train(3, 12, 1.2341), 70, 151, 3.1, 49.4, 0.02, 0.87};
  CHECK(FormatProgress(line, 200) ==
        "epoch 3/14 [12/24]  01:10<02:31  3.1 it/s  49 img/s  loss 1.234  waited 2%  gpu 87%");
  line.report.step = 9;
  CHECK(FormatProgress(line, 200).find("epoch 3/14 [ 9/24]  ") == 0);  // no jumping columns
}

TEST_CASE("what is not known is left out") {
  ProgressLine line{Train(1, 1, 0)};
  line.report.has_loss = false;
  CHECK(FormatProgress(line, 200) == "epoch 1/14 [ 1/24]");
  line.report = {};
  line.report.phase = "val";
  line.report.step = 2;
  line.report.steps = 5;
  CHECK(FormatProgress(line, 200) == "val [2/5]");
  line.elapsed_s = 3;
  CHECK(FormatProgress(line, 200) == "val [2/5]  00:03");
}

TEST_CASE("a narrow terminal loses whole parts from the right") {
  const ProgressLine line{Train(3, 12, 1.2341), 70, 151, 3.1, 49.4, 0.02, 0.87};
  const std::string whole = FormatProgress(line, 200);
  for (int width = 1; width < 120; ++width) {
    const std::string text = FormatProgress(line, width);
    CHECK(static_cast<int>(text.size()) < width);
    CHECK(whole.rfind(text, 0) == 0);
    CHECK((text.size() == whole.size() || whole.substr(text.size(), 2) == "  " || text.empty()));
  }
}

TEST_CASE("durations") {
  CHECK(FormatDuration(0) == "00:00");
  CHECK(FormatDuration(70.4) == "01:10");
  CHECK(FormatDuration(3599.6) == "1:00:00");
  CHECK(FormatDuration(90061) == "25:01:01");
}

TEST_CASE("without a terminal there is a plain line every 5 s, with rates of the last 10 s") {
  ScratchFolder dir;
  const int fd = open((dir.path() / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  Terminal terminal(fd);
  Progress::Clock::time_point now{};
  Progress progress(terminal, [&] { return now; });
  // 2 steps a second of 16 images, of which half a second is waited.
  for (int step = 1; step <= 22; ++step) {
    progress.Report(Train(1, static_cast<uint64_t>(step), 0.5),
                    {static_cast<uint64_t>(16 * step), 0.25 * step, -1});
    now += 500ms;
  }
  progress.Finish();
  CHECK(Slurp(dir.path() / "out") ==
        "epoch 1/14 [11/24]  00:05<02:43  2.0 it/s  32 img/s  loss 0.5  waited 50%\n"
        "epoch 1/14 [21/24]  00:10<02:38  2.0 it/s  32 img/s  loss 0.5  waited 50%\n");
  close(fd);
}

TEST_CASE("validation counts its own steps, and a resumed run reckons from where it started") {
  ScratchFolder dir;
  const int fd = open((dir.path() / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  Terminal terminal(fd);
  Progress::Clock::time_point now{};
  Progress progress(terminal, [&] { return now; });
  progress.Report(Train(8, 14, 0.5), {});  // step 182 of 336
  ProgressReport val;
  val.phase = "val";
  val.epoch = 8;
  val.epochs = 14;
  val.steps = 40;
  val.total_steps = 336;
  val.done_steps = 192;
  for (val.step = 1; val.step <= 12; ++val.step) {
    now += 500ms;
    progress.Report(val, {});
  }
  CHECK(Slurp(dir.path() / "out") ==
        "epoch 8/14 val [10/40]  00:05<01:12  2.0 it/s  waited 0%\n");
  close(fd);
}

TEST_CASE(
    "on a terminal one line is drawn anew, at most ten times a second, and cleared at the end") {
  testing::Pty pty(40);
  if (!pty.ok()) {
    MESSAGE("skipped: no pseudo terminal");
    return;
  }
  Terminal terminal(pty.fd());
  Progress::Clock::time_point now{};
  Progress progress(terminal, [&] { return now; });
  progress.Opening("making builtin:camouflage", 120, 448);
  CHECK(pty.Read() == "\r\x1b[Kmaking builtin:camouflage 120/448");
  now += 50ms;
  progress.Opening("making builtin:camouflage", 121, 448);
  CHECK(pty.Read() == "");
  now += 50ms;
  progress.Opening("making a set with a name longer than the line", 122, 448);
  CHECK(pty.Read() == "\r\x1b[Kmaking a set with a name longer than th");
  now += 200ms;
  progress.Report(Train(1, 1, 0.5), {});
  CHECK(pty.Read() == "\r\x1b[Kepoch 1/14 [ 1/24]  00:00  loss 0.5");
  progress.Finish();
  CHECK(pty.Read() == "\r\x1b[K");
}
