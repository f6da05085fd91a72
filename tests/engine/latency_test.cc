// Storage that takes its time: with enough I/O threads nobody notices, and the run says how many.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "engine/harness.h"
#include "pipeline/graph/reading_need.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using std::chrono::milliseconds;

namespace {

struct Paced {
  double seconds = 0;
  std::string line;     // of the source, at the end
  double busy_share = 0;  // of the I/O threads, by the metrics, in the middle of the run
};

double MetricOf(const std::string& text, const std::string& series) {
  const size_t at = text.find("\n" + series + " ");
  REQUIRE(at != text.npos);
  return std::atof(text.c_str() + at + series.size() + 2);
}

// 100 batches of 4: two workers take 5 ms a sample, so 400 samples a second.
Paced RunWith(milliseconds latency, int io_threads) {
  Script script;
  script.size = 200;
  script.on_read = [=](uint64_t, ReadContext&) { std::this_thread::sleep_for(latency); };
  script.on_process = [](Sample&, Context&) { std::this_thread::sleep_for(milliseconds(5)); };
  Paced paced;
  int looks = 0;
  ScriptedRun* running = nullptr;
  script.run = [&](RunContext& run) {
    for (int i = 0; i < 100; ++i) {
      const Batch batch = run.Pull("in");
      run.Commit(batch, "in");
      if (i < 20 || i % 8 != 0) continue;
      const std::string text = running->metrics.Text();
      paced.busy_share += MetricOf(text, R"(flowtrain_tokens_in_use{pool="source.io_threads"})") /
                          MetricOf(text, R"(flowtrain_tokens_capacity{pool="source.io_threads"})");
      ++looks;
    }
  };
  ScriptedRun run(script, {.source = R"("sampler": {"shuffle": true}, "io_threads": )" + std::to_string(io_threads)});
  running = &run;
  const Result result = run.Run();
  REQUIRE(result.outcome.error == "");
  paced.seconds = result.seconds;
  paced.busy_share /= looks;
  for (const auto& [name, text] : run.executor().ReadingLines()) {
    if (name == "source") paced.line = text;
  }
  return paced;
}

}  // namespace

TEST_CASE("20 ms a read cost nothing with enough I/O threads, and the run says how many it needed") {
  double ratio = 2;
  Paced slow;
  for (int attempt = 0; attempt < 3 && ratio > 1.05; ++attempt) {  // others may use this machine
    const Paced quick = RunWith(milliseconds(0), 16);
    slow = RunWith(milliseconds(20), 16);
    ratio = std::min(ratio, slow.seconds / quick.seconds);
  }
  MESSAGE("20 ms against 0 ms: " << ratio << "; " << slow.line);
  CHECK(ratio <= 1.05);
  // 20 ms at 400 samples a second are 8 reads at once.
  const size_t at = slow.line.find("about ");
  REQUIRE(at != std::string::npos);
  const int said = std::atoi(slow.line.c_str() + at + 6);
  CHECK(said >= 7);
  CHECK(said <= 10);
  CHECK(Holds(slow.line, "would do"));
}

TEST_CASE("too few I/O threads show in the metrics as the bottleneck, and the run says how many would keep up") {
  const Paced slow = RunWith(milliseconds(20), 3);
  MESSAGE(slow.line << "; I/O threads in use by the metrics: " << 100 * slow.busy_share << "%");
  CHECK(slow.busy_share > 0.9);
  CHECK(Holds(slow.line, "the bottleneck"));
  const int said = std::atoi(slow.line.c_str() + slow.line.find("about ") + 6);
  CHECK(said >= 7);
  CHECK(said <= 10);
  Paced enough = RunWith(milliseconds(20), 16);
  for (int attempt = 1; attempt < 5 && enough.busy_share >= 0.9; ++attempt)  // others may use this machine
    enough = RunWith(milliseconds(20), 16);
  CHECK(enough.busy_share < 0.9);
  CHECK(enough.seconds < 0.6 * slow.seconds);
}

TEST_CASE("the need of I/O threads is the time of a read times the pace of what comes after it") {
  using graph::NeedOf;
  using graph::ReadingText;
  // 10 s, 1,000 reads of 20 ms, workers half busy, the consumer always waiting: twice the pace was possible.
  const graph::ReadingWork held{.threads = 2, .seconds = 10, .reads = 1000, .read_s = 20, .compute_s = 10, .workers = 2, .waited_s = 10, .own_compute_s = 10, .own_waited_s = 10};
  CHECK(NeedOf(held).threads == 4);
  CHECK(NeedOf(held).held_up);
  // The consumer is always busy: it is its pace that counts.
  graph::ReadingWork trains = held;
  trains.waited_s = trains.own_waited_s = 0;
  trains.threads = 8;
  CHECK(NeedOf(trains).threads == 2);
  CHECK(!NeedOf(trains).held_up);
  CHECK(NeedOf({}).threads == 0);
  CHECK(ReadingText(held) == "2 I/O threads, 20 ms a read: the bottleneck, about 4 would keep up");
  CHECK(ReadingText(trains) == "8 I/O threads, 20 ms a read: about 2 would do");
  // Threads that were not let read.
  graph::ReadingWork short_ahead = held;
  short_ahead.threads = 16;
  short_ahead.read_ahead = 2;
  CHECK(ReadingText(short_ahead) == "16 I/O threads, 20 ms a read: the bottleneck, for read_ahead lets 2 read at once; about 4 would keep up");
  // Nothing was at its limit: a run of which most was the start.
  graph::ReadingWork tiny = held;
  tiny.threads = 3;
  CHECK(ReadingText(tiny) == "3 I/O threads, 20 ms a read");
  // A validation, read in a tenth of the time, in which its one thread was always busy.
  const graph::ReadingWork now_and_then{.threads = 1, .seconds = 100, .reads = 100, .read_s = 11, .compute_s = 150, .workers = 2, .waited_s = 12, .own_compute_s = 2, .own_waited_s = 12, .now_and_then = true};
  CHECK(ReadingText(now_and_then) == "1 I/O thread, 110 ms a read: the bottleneck, about 11 would keep up");
  graph::ReadingWork quick = now_and_then;
  quick.read_s = 1;
  CHECK(ReadingText(quick) == "1 I/O thread, 10 ms a read");
}
