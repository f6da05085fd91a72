// Whatever was opened is closed, also where the start does not come to its end.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

// Notes what is opened and closed; `at` does what the test says, from within its Open.
struct Opened {
  std::vector<std::string> opened, closed;
  Opened(Script& script, const std::string& at, std::function<void(OpenContext&)> act) {
    script.on_open_of = [this, at, act](const std::string& type, OpenContext& context) {
      if (type == at) act(context);
      opened.push_back(type);
    };
    script.on_close_of = [this](const std::string& type) { closed.push_back(type); };
  }
  bool closed_in_reverse() const {
    return std::vector<std::string>(opened.rbegin(), opened.rend()) == closed;
  }
};

const Settings kAll{.device = true, .second_chain = true, .observer = true};

}  // namespace

TEST_CASE("where a stage fails in Open those that are open are closed, the last one first") {
  for (const std::string at : {"source", "fill", "source2", "device", "sink", "observer"}) {
    CAPTURE(at);
    Script script;
    Opened stages(script, at, [](OpenContext&) { throw Error("no"); });
    ScriptedRun run(script, kAll);
    CHECK_THROWS_AS(run.executor().Open(), Error);
    CHECK(stages.opened.size() < 7);
    CHECK(stages.closed_in_reverse());
  }
}

TEST_CASE("where the start is interrupted the stages that are open are closed") {
  Script script;
  ScriptedRun run(script, kAll);
  Opened stages(script, "device", [&](OpenContext&) { run.executor().Stop(); });
  CHECK_THROWS_AS(run.executor().Open(), Cancelled);
  CHECK(stages.opened.back() == "device");
  CHECK(stages.closed_in_reverse());
}

TEST_CASE("where a later phase can't be opened its stages are closed, and then the consumers") {
  Script script;
  script.run = TakeBatches(10);
  Opened stages(script, "fill", [](OpenContext& context) {
    if (context.phase().index == 1) throw Error("no");
  });
  Settings settings;
  settings.phases = R"({"name": "a", "epochs": 2}, {"name": "b", "epochs": 2})";
  const Result result = ScriptedRun(script, settings).Run();
  CHECK(result.outcome.kind == graph::Outcome::kFailed);
  CHECK(result.outcome.error == "fill: no");
  CHECK(stages.closed == std::vector<std::string>{"fill", "source", "source", "sink"});
}

TEST_CASE("a run that comes to its end closes every stage once, the last one opened first") {
  Script script;
  Opened stages(script, "", {});
  script.run = TakeBatches(3);
  CHECK(ScriptedRun(script, kAll).Run().outcome.error == "");
  CHECK(stages.opened.size() == 7);
  CHECK(stages.closed.size() == 7);
  const std::vector<std::string> phase{"device", "fill2", "source2", "fill", "source"};
  CHECK(std::equal(phase.begin(), phase.end(), stages.closed.begin()));
}

TEST_CASE("a stage that does not return from Close after a failed start is named, with the failure") {
  static std::atomic<bool> let_go{false};
  static Script script;  // its thread is left behind
  script.on_open_of = [](const std::string& type, OpenContext&) {
    if (type == "sink") throw Error("no");
  };
  script.on_close = [] {
    while (!let_go) std::this_thread::sleep_for(milliseconds(1));
  };
  static ScriptedRun* run = new ScriptedRun(script, {}, {.grace = milliseconds(200)});
  const auto start = Clock::now();
  std::string stage, cause;
  try {
    run->executor().Open();
  } catch (const graph::OpenAbandoned& abandoned) {
    stage = abandoned.stage();
    try {
      if (abandoned.cause()) std::rethrow_exception(abandoned.cause());
    } catch (const Error& error) {
      cause = error.what();
    }
  }
  CHECK(stage == "fill");
  CHECK(cause == "sink: no");
  CHECK(Since(start) < 0.6 * kPatience);
  let_go = true;
  std::this_thread::sleep_for(milliseconds(100));
}
