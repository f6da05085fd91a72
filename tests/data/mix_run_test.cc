// A mix at work: the real stage between scripted sources and a consumer, through the whole engine.
#include <doctest/doctest.h>
#include <flowtrain/stage.h>
#include <flowtrain/testing/declarations.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "pipeline/config/graph_config.h"
#include "pipeline/graph/executor.h"
#include "pipeline/metrics/run_metrics.h"
#include "stages/data/mix.h"

namespace flowtrain::data_test {
namespace {

struct Seen {
  uint64_t epoch = 0;
  int64_t source = 0, index = 0;
  auto operator<=>(const Seen&) const = default;
};

// What happens in one run.
struct Trace {
  std::mutex mutex;  // protects all but `batches`
  std::vector<std::string> calls;  // Open and Close, in order
  std::vector<Seen> rows;
  std::vector<graph::BadSampleInfo> bad;
  Value checkpoint;
  uint64_t batches = 1;
  void Say(const std::string& what) {
    const std::lock_guard lock(mutex);
    calls.push_back(what);
  }
};
Trace* trace = nullptr;  // of the run at hand: stages are made from parameters alone

// Numbers; the one at `bad` can't be read, the one at `fails` ends the run.
class Numbers final : public Source {
 public:
  struct Params {
    int64_t tag = 0, size = 1, bad = -1, fails = -1, set = 1;
  };
  static void Declare(Declaration<Params>& d) {
    d.Type("test.numbers", "Numbers.");
    d.Yields("source", flowtrain::Label());
    d.Yields("index", flowtrain::Label());
    d.Param("tag", &Params::tag, "Which source it is.");
    d.Param("size", &Params::size, "How many.");
    d.Param("bad", &Params::bad, "Which one can't be decoded.");
    d.Param("fails", &Params::fails, "Which one is gone.");
    d.Param("set", &Params::set, "Its fingerprint.");
  }
  explicit Numbers(const Params& params) : params_(params) {}
  void Open(OpenContext&) override { trace->Say("open " + std::to_string(params_.tag)); }
  void Close() noexcept override { trace->Say("close " + std::to_string(params_.tag)); }
  uint64_t Size() const override { return static_cast<uint64_t>(params_.size); }
  uint64_t Fingerprint() const override {
    trace->Say("fingerprint " + std::to_string(params_.tag));
    return static_cast<uint64_t>(params_.set);
  }
  void Read(uint64_t index, Sample& sample, ReadContext&) const override {
    const auto number = static_cast<int64_t>(index);
    sample.path = std::to_string(params_.tag) + "/" + std::to_string(index);
    if (number == params_.bad) throw BadSample("broken", "it is broken");
    if (number == params_.fails) throw Error("it is gone");
    sample.set_label("source", params_.tag);
    sample.set_label("index", number);
  }

 private:
  const Params params_;
};

class Sink final : public Consumer {
 public:
  struct Params {};
  static void Declare(Declaration<Params>& d) {
    d.Type("test.sink", "Writes down what comes.");
    d.Input("in", {"source", "index"});
  }
  explicit Sink(const Params&) {}
  void Run(RunContext& context) override {
    for (uint64_t i = 0; i < trace->batches; ++i) {
      const Batch batch = context.Pull("in");
      if (!batch) return;
      for (int row = 0; row < batch.rows(); ++row) {
        trace->rows.push_back({batch.epoch(), batch.tensor("source").as<int64_t>()[row], batch.tensor("index").as<int64_t>()[row]});
      }
      context.Commit(batch, "in");
    }
  }
};

class Host final : public graph::RunHost {
 public:
  void Info(const std::string&) override {}
  void Warn(const std::string&) override {}
  void Record(const Value&) override {}
  void BadSample(const graph::BadSampleInfo& bad) override {
    const std::lock_guard lock(trace->mutex);
    trace->bad.push_back(bad);
  }
  void Progress(const ProgressReport&, uint64_t, double) override {}
  void Opening(const std::string&, uint64_t, uint64_t) override {}
  void PhaseBegins(const PhaseInfo&, const std::string&) override {}
  void Summary(const std::string&, const std::string&, const std::string&) override {}
  void SaveCheckpoint(const std::string&, double, const std::function<Value(const std::filesystem::path&)>& write) override {
    trace->checkpoint = write(".");
  }
  std::filesystem::path run_dir() const override { return "."; }
  std::filesystem::path cache_dir() const override { return "."; }
};

struct Case {
  std::string a = R"("size": 30)", b = R"("size": 7)";
  std::string both =
      R"("weights": {"a": 3, "b": 1}, "epoch_samples": 20, "sampler": {"shuffle": true})";
  std::string run = R"("threads": 2)";
  bool b_first = false;  // in the file
};

config::ValidatedGraph Graph(const Case& c) {
  static const std::map<std::string, StageDeclaration> declarations = {
      {"test.numbers", testing::DeclarationOf<Numbers>()},
      {"data.mix", testing::DeclarationOf<data::Mix>()},
      {"test.sink", testing::DeclarationOf<Sink>()}};
  const std::string a = R"("a": {"type": "test.numbers", "tag": 1, )" + c.a + "}, ";
  const std::string b = R"("b": {"type": "test.numbers", "tag": 2, )" + c.b + "}, ";
  const auto stage = [](const std::string& type, std::vector<std::string>&,
                        std::string&) -> const StageDeclaration* {
    const auto found = declarations.find(type);
    return found == declarations.end() ? nullptr : &found->second;
  };
  return config::LoadText(R"({"name": "mix", "seed": 3, "stages": {)" +
                              (c.b_first ? b + a : a + b) + R"("both": {"type": "data.mix", )" +
                              c.both + R"(},
      "staging": {"type": "staging", "batch": 4}, "sink": {"type": "test.sink"}},
      "edges": ["a -> both -> staging -> sink", "b -> both"], "run": {)" +
                              c.run + "}}",
                          "mix.json", {}, {stage, {}});
}

graph::Outcome Run(Trace& into, const Case& c, metrics::RunMetrics& metrics, const Value* resume = nullptr) {
  trace = &into;
  const config::ValidatedGraph graph = Graph(c);
  Host host;
  graph::Executor executor(graph, host, metrics, {});
  executor.Open(resume);
  return executor.Run();
}

std::vector<Seen> Rows(const Case& c, uint64_t batches) {
  Trace into;
  into.batches = batches;
  metrics::RunMetrics metrics;
  CHECK(Run(into, c, metrics).kind == graph::Outcome::kDone);
  return into.rows;
}

}  // namespace

TEST_CASE("each epoch of a mix has its sources in their shares, and goes on in each where the last one ended") {
  const std::vector<Seen> rows = Rows({}, 50);  // ten epochs of 15 of a and 5 of b
  REQUIRE(rows.size() == 200);
  std::map<uint64_t, std::multiset<int64_t>> sources;
  std::map<std::pair<int64_t, uint64_t>, std::multiset<int64_t>> cycles;  // of a: two epochs
  for (const Seen& row : rows) {
    sources[row.epoch].insert(row.source);
    if (row.source == 1) cycles[{1, row.epoch / 2}].insert(row.index);
  }
  for (const auto& [epoch, tags] : sources) {
    CHECK(tags.count(1) == 15);
    CHECK(tags.count(2) == 5);
  }
  for (const auto& [cycle, indices] : cycles) {
    CHECK(indices.size() == 30);
    CHECK(std::set<int64_t>(indices.begin(), indices.end()).size() == 30);
  }
  std::map<int64_t, int> of_b;  // 50 draws of 7
  for (const Seen& row : rows) of_b[row.index] += row.source == 2;
  for (int64_t index = 0; index < 7; ++index) CHECK((of_b[index] == 7 || of_b[index] == 8));
}

TEST_CASE("a mix gives the same samples for any workers and I/O threads, and in another order for another epoch") {
  const std::vector<Seen> expected = Rows({.run = R"("threads": 1)"}, 20);
  for (const char* run : {R"("threads": 2)", R"("threads": 8)"}) {
    for (const char* reading : {R"(, "io_threads": 1, "read_ahead": 1)", R"(, "io_threads": 8)"}) {
      Case c{.run = run};
      c.both += reading;
      CHECK(Rows(c, 20) == expected);
    }
  }
  const auto tags = [&](uint64_t epoch) {
    std::vector<int64_t> tags;
    for (const Seen& row : expected) {
      if (row.epoch == epoch) tags.push_back(row.source);
    }
    return tags;
  };
  CHECK(tags(0) != tags(1));
}

TEST_CASE("a run that is resumed, twice in a row too, goes on in each source of a mix where it was") {
  const std::vector<Seen> expected = Rows({}, 17);
  std::vector<Seen> together;
  Value state;
  for (const uint64_t batches : {6, 1, 10}) {
    Trace into;
    into.batches = batches;
    metrics::RunMetrics metrics;
    CHECK(Run(into, {}, metrics, together.empty() ? nullptr : &state).kind == graph::Outcome::kDone);
    together.insert(together.end(), into.rows.begin(), into.rows.end());
    state = into.checkpoint;
  }
  CHECK(together == expected);
}

// Of a resume after one batch of `before`; empty: none.
std::string ResumeRefusal(const Case& before, const Case& after) {
  Trace first, second;
  metrics::RunMetrics metrics, again;
  CHECK(Run(first, before, metrics).kind == graph::Outcome::kDone);
  try {
    Run(second, after, again, &first.checkpoint);
  } catch (const graph::OpenRefused& refused) {
    return refused.what();
  }
  return "";
}

TEST_CASE(
    "a resume names each source of a mix that has others of the same number, or more, and not the "
    "mix") {
  const std::string a =
      "mix.json: /stages/a: there are 30 samples as in the checkpoint, but not the same ones";
  const std::string b = "mix.json: /stages/b: there are ";
  CHECK(ResumeRefusal({}, {}) == "");
  const std::string one = ResumeRefusal({}, {.a = R"("size": 30, "set": 2)"});
  CHECK(one.find(a) == 0);
  CHECK(one.find(b) == one.npos);
  const std::string two =
      ResumeRefusal({}, {.a = R"("size": 30, "set": 2)", .b = R"("size": 7, "set": 3)"});
  CHECK(two.find(a) == 0);
  CHECK(two.find("\n" + b + "7 samples as in the checkpoint") != two.npos);
  const std::string more = ResumeRefusal({}, {.b = R"("size": 8)"});
  CHECK(more.find(b + "8 samples now, and 7 in the checkpoint") == 0);
  for (const std::string& refusal : {one, two, more})
    CHECK(refusal.find("/stages/both") == refusal.npos);
}

TEST_CASE(
    "a resume of a mix whose sources stand in another order in the graph file is refused, by the "
    "mix") {
  const std::string refusal = ResumeRefusal({}, {.b_first = true});
  CHECK(refusal.find("mix.json: /stages/both: there are 20 samples as in the checkpoint, but "
                     "another choice or order of them, though its sources have theirs") == 0);
  CHECK(refusal.find("/stages/a") == refusal.npos);
}

TEST_CASE(
    "a mix is not known where one of its sources isn't, and what leads into it is asked once") {
  const Case unknown{.a = R"("size": 30, "set": 0)"};
  CHECK(ResumeRefusal(unknown, {.a = R"("size": 30, "set": 2)"}) == "");
  CHECK(ResumeRefusal(unknown, {.a = unknown.a, .b = R"("size": 7, "set": 2)"})
            .find("mix.json: /stages/b: ") == 0);
  Trace into;
  metrics::RunMetrics metrics;
  Run(into, {}, metrics);
  for (const char* call : {"fingerprint 1", "fingerprint 2"})
    CHECK(std::count(into.calls.begin(), into.calls.end(), call) == 1);
}

TEST_CASE("sources are opened before the mix that draws from them, and closed after it") {
  Trace into;
  metrics::RunMetrics metrics;
  Run(into, {}, metrics);
  std::erase_if(into.calls,
                [](const std::string& call) { return call.starts_with("fingerprint"); });
  CHECK(into.calls == std::vector<std::string>{"open 1", "open 2", "close 2", "close 1"});
}

TEST_CASE("reads and bad samples are counted under the source that they are of, and under the mix") {
  Trace into;
  into.batches = 10;
  metrics::RunMetrics metrics;
  Run(into, {.b = R"("size": 7, "bad": 3)"}, metrics);
  const std::string text = metrics.Text();
  const auto count = [&](const std::string& stage, const std::string& outcome) {
    const std::string key = "flowtrain_stage_items_total{outcome=\"" + outcome + "\",stage=\"" + stage + "\"} ";
    const size_t at = text.find(key);
    return at == std::string::npos ? -1.0 : std::stod(text.substr(at + key.size()));
  };
  CHECK(count("a", "ok") >= 30);
  CHECK(count("b", "bad") >= 1);
  CHECK(count("a", "ok") + count("b", "ok") == count("both", "ok"));
  CHECK(count("b", "bad") == count("both", "bad"));
  REQUIRE(!into.bad.empty());
  CHECK(into.bad[0].path == "2/3");
  for (const Seen& row : into.rows) CHECK((row.source != 2 || row.index != 3));
}

TEST_CASE("a source that fails under a mix is named in the error") {
  Trace into;
  into.batches = 10;
  metrics::RunMetrics metrics;
  const graph::Outcome outcome = Run(into, {.b = R"("size": 7, "fails": 3)"}, metrics);
  CHECK(outcome.kind == graph::Outcome::kFailed);
  CHECK(outcome.error.find("both: b: it is gone, sample ") == 0);
  CHECK(outcome.error.find("(2/3)") != std::string::npos);
}

TEST_CASE("weights that come to nothing are refused with their place in the graph file") {
  Trace into;
  metrics::RunMetrics metrics;
  CHECK_THROWS_WITH_AS(Run(into, {.both = R"("weights": {"a": 0, "b": 0})"}, metrics),
                       "mix.json: /stages/both/weights: at least one weight has to be above 0", graph::OpenRefused);
}

}  // namespace flowtrain::data_test
