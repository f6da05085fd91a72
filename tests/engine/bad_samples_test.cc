// Bad samples count with the batches that were taken, and how a run ends by them depends on no timing.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;

namespace {

Settings Of(const std::string& on_bad, int threads, const std::string& share = "1") {
  return {.staging = R"("batch": 4, "slots": 3, "last_batch": "pad")",
          .source = R"("sampler": {"shuffle": true}, "on_bad": ")" + on_bad + "\"",
          .run = R"("max_bad_share": )" + share + R"(, "threads": )" + std::to_string(threads)};
}

}  // namespace

TEST_CASE("bad samples that were read ahead of the run's end are not counted, named or listed") {
  for (const std::string on_bad : {"replace", "mark"}) {
    for (const bool in_read : {true, false}) {
      CAPTURE(on_bad);
      CAPTURE(in_read);
      std::set<uint64_t> counts;
      for (const int wait : {0, 0, 30, 100}) {
        Script script;
        script.size = 40;
        const auto judge = [](uint64_t index) {
          if (index % 3 == 0) throw BadSample("broken", "no picture");
        };
        if (in_read)
          script.on_read = [=](uint64_t index, ReadContext&) { judge(index); };
        else
          script.on_process = [=](Sample& sample, Context&) { judge(sample.id.index); };
        uint64_t marked = 0;
        script.run = [&](RunContext& context) {  // a fifth of an epoch
          for (int i = 0; i < 2; ++i) {
            const Batch batch = context.Pull("in");
            for (const RowId& id : batch.content().ids) marked += id.bad ? 1 : 0;
            context.Commit(batch, "in");
          }
          std::this_thread::sleep_for(milliseconds(wait));  // the reader goes on
        };
        ScriptedRun run(script, Of(on_bad, wait == 0 ? 1 : 4));
        const Result result = run.Run();
        CHECK(result.outcome.error == "");
        CHECK(run.host.bad.size() == result.bad);
        if (on_bad == "mark") CHECK(result.bad == marked);
        const std::string series = "flowtrain_bad_samples_total{reason=\"broken\"} ";
        if (result.bad > 0) CHECK(Holds(run.metrics.Text(), series + std::to_string(result.bad)));
        counts.insert(result.bad);
      }
      CHECK(counts.size() == 1);
    }
  }
}

TEST_CASE("where not one sample can be decoded the run fails in one way, whatever the timing") {
  for (const uint64_t size : {3, 20}) {  // less than a batch, and more
    for (const std::string on_bad : {"replace", "mark", "fail"}) {
      for (const bool in_read : {true, false}) {
        for (const int round : {0, 1, 2, 3}) {
          CAPTURE(size);
          CAPTURE(on_bad);
          CAPTURE(in_read);
          Script script;
          script.size = size;
          const auto delay = [=] { std::this_thread::sleep_for(milliseconds(round)); };
          script.on_read = [=](uint64_t, ReadContext&) {
            delay();
            if (in_read) throw BadSample("broken", "no picture");
          };
          script.on_process = [=](Sample&, Context&) { throw BadSample("broken", "no picture"); };
          script.run = TakeBatches(1);
          ScriptedRun run(script, Of(on_bad, 1 + round, "0.1"));
          const Result result = run.Run();
          CHECK(result.outcome.kind == Outcome::kFailed);
          const std::string expected = on_bad == "replace" ? "16 replacements in a row can't be "
                                       : on_bad == "mark"  ? "not one of the 4 samples read can be decoded"
                                                           : "no picture, sample ";
          CHECK(Holds(result.outcome.error, expected));
          CHECK(!run.host.bad.empty());
        }
      }
    }
  }
}

TEST_CASE("a bad sample is named in the log and in the list, also where its stage does not name it") {
  for (const bool in_read : {true, false}) {
    CAPTURE(in_read);
    Script script;
    const auto judge = [](uint64_t index) {
      if (index == 6) throw BadSample("broken", "no picture");
      if (index == 7) throw BadSample("broken", "sample-7 is no picture");
    };
    if (in_read)
      script.on_read = [=](uint64_t index, ReadContext&) { judge(index); };
    else
      script.on_process = [=](Sample& sample, Context&) { judge(sample.id.index); };
    script.run = TakeBatches(5);
    ScriptedRun run(script, {.source = "", .run = R"("max_bad_share": 1)"});
    CHECK(run.Run().outcome.error == "");
    const std::string stage = in_read ? " (source)" : " (fill)";
    REQUIRE(run.host.warnings.size() == 2);
    const std::set<std::string> warnings(run.host.warnings.begin(), run.host.warnings.end());
    CHECK(warnings == std::set<std::string>{"bad sample left out: no picture, sample-6" + stage,
                                            "bad sample left out: sample-7 is no picture" + stage});
    REQUIRE(run.host.bad.size() == 2);
    for (const graph::BadSampleInfo& bad : run.host.bad) CHECK(Holds(bad.message, bad.path));
  }
}
