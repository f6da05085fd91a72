#include <doctest/doctest.h>
#include <flowtrain/error.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "metrics/fill.h"
#include "pipeline/metrics/run_metrics.h"

using namespace flowtrain;
using flowtrain::metrics::RunMetrics;

namespace {

bool HasLine(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line) != std::string::npos;
}

size_t Times(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string Refusal(RunMetrics& m, const std::string& kind, const std::string& name,
                    const Labels& labels = {}, const std::string& help = "Help.") {
  Instruments& stage = m.ForStage("trainer");
  try {
    if (kind == "counter") stage.counter(name, help, labels);
    if (kind == "gauge") stage.gauge(name, help, labels);
    if (kind == "histogram") stage.histogram(name, help, labels);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a filled registry passes promtool check metrics") {
  const std::string promtool = PROMTOOL;  // empty: not found when the build was configured
  if (promtool.empty()) {
    MESSAGE("skipped: promtool is not installed (Debian's package prometheus has it)");
    return;
  }
  RunMetrics m;
  auto readings = testing::Fill(m, 0);
  char path[] = "/tmp/flowtrain-metrics-XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << m.Text();
  const int result =
      std::system((promtool + " check metrics < " + path + " > " + path + ".out 2>&1").c_str());
  std::ifstream out(std::string(path) + ".out");
  CHECK(result == 0);
  CHECK(std::string(std::istreambuf_iterator<char>(out), {}) == "");
  std::remove(path);
  std::remove((std::string(path) + ".out").c_str());
}

TEST_CASE("the same name and labels give the same handle, in whatever order the labels come") {
  RunMetrics m;
  Instruments& stage = m.ForStage("trainer");
  Gauge& first = stage.gauge("loss", "Loss.", {{"part", "total"}, {"head", "a"}});
  CHECK(&first == &stage.gauge("loss", "Loss.", {{"head", "a"}, {"part", "total"}}));
  CHECK(&first != &stage.gauge("loss", "Loss.", {{"head", "b"}, {"part", "total"}}));
  CHECK(&stage == &m.ForStage("trainer"));
}

TEST_CASE("two stages share a family, each under its own label") {
  RunMetrics m;
  m.ForStage("a").counter("things_total", "Things.", {}).Add(1);
  m.ForStage("b").counter("things_total", "Things.", {}).Add(2);
  const std::string text = m.Text();
  CHECK(Times(text, "# TYPE flowtrain_things_total counter") == 1);
  CHECK(HasLine(text, "flowtrain_things_total{stage=\"a\"} 1"));
  CHECK(HasLine(text, "flowtrain_things_total{stage=\"b\"} 2"));
}

TEST_CASE("names of the wrong form are refused, naming the stage, the name and what is allowed") {
  RunMetrics m;
  CHECK(Refusal(m, "counter", "things") ==
        "stage trainer: metric \"things\": a counter's name ends in _total");
  CHECK(Refusal(m, "gauge", "things_total").find("only a counter") != std::string::npos);
  CHECK(Refusal(m, "gauge", "Loss").find("a-z, 0-9 and _") != std::string::npos);
  CHECK(Refusal(m, "gauge", "").find("a-z, 0-9 and _") != std::string::npos);
  CHECK(Refusal(m, "gauge", "loss-a").find("a-z, 0-9 and _") != std::string::npos);
  CHECK(Refusal(m, "gauge", "flowtrain_loss").find("it is added") != std::string::npos);
  CHECK(Refusal(m, "histogram", "step_time").find("_seconds") != std::string::npos);
  CHECK(Refusal(m, "gauge", "loss_bucket").find("_bucket") != std::string::npos);
  CHECK(Refusal(m, "gauge", "loss", {}, "").find("help text") != std::string::npos);
  CHECK(Refusal(m, "counter", "stage_items_total").find("belongs to the framework") !=
        std::string::npos);
  CHECK(Refusal(m, "gauge", "loss", {{"file", "/data/a.jpg"}}).find("labels hold no paths") !=
        std::string::npos);
  CHECK(Refusal(m, "gauge", "loss", {{"stage", "x"}}).find("there already") != std::string::npos);
  CHECK(Refusal(m, "gauge", "loss", {{"le", "x"}}).find("label \"le\"") != std::string::npos);
  CHECK(Refusal(m, "gauge", "loss", {{"part", "total"}}) == "accepted");
}

TEST_CASE("a name that is a gauge can't become a counter or a histogram") {
  RunMetrics m;
  m.ForStage("a").gauge("step_seconds", "Step.", {});
  try {
    m.ForStage("b").histogram("step_seconds", "Step.", {});
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find("flowtrain_step_seconds") != std::string::npos);
  }
  CHECK(Times(m.Text(), "# TYPE flowtrain_step_seconds") == 1);
}

TEST_CASE("histograms count every observation, from 10 us to 100 s, from many threads") {
  RunMetrics m;
  metrics::StageSeries stage = m.Stage("decode");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) stage.duration.Observe(2e-5), stage.ok.Add(1);
    });
  for (std::thread& t : threads) t.join();
  const std::string text = m.Text();
  CHECK(HasLine(text, "flowtrain_stage_duration_seconds_count{stage=\"decode\"} 4000"));
  CHECK(HasLine(text, "flowtrain_stage_duration_seconds_bucket{stage=\"decode\",le=\"1e-05\"} 0"));
  CHECK(HasLine(text, "flowtrain_stage_duration_seconds_bucket{stage=\"decode\",le=\"100\"} 4000"));
  CHECK(HasLine(text, "flowtrain_stage_items_total{outcome=\"ok\",stage=\"decode\"} 4000"));
}

TEST_CASE("pools and queues are read at each scrape and gone with their reading") {
  RunMetrics m;
  double used = 1;
  {
    metrics::Reading pool = m.AddPool(
        "slots", [&] { return used; }, [] { return 4.0; });
    CHECK(HasLine(m.Text(), "flowtrain_tokens_in_use{pool=\"slots\"} 1"));
    used = 3;
    CHECK(HasLine(m.Text(), "flowtrain_tokens_in_use{pool=\"slots\"} 3"));
    CHECK(HasLine(m.Text(), "flowtrain_tokens_capacity{pool=\"slots\"} 4"));
    CHECK_THROWS_AS((void)m.AddPool(
                        "slots", [] { return 0.0; }, [] { return 0.0; }),
                    Error);
    metrics::Reading other = m.AddPool(
        "device", [] { return 2.0; }, [] { return 2.0; });
    pool = std::move(other);
    CHECK(!HasLine(m.Text(), "flowtrain_tokens_in_use{pool=\"slots\"}"));
    CHECK(HasLine(m.Text(), "flowtrain_tokens_in_use{pool=\"device\"} 2"));
  }
  CHECK(m.Text().find("tokens_in_use") == std::string::npos);
}
