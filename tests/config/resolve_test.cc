// What the run folder keeps, and what a resumed run must not change.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

std::string FixedPointers(const ValidatedGraph& graph) {
  std::string pointers;
  for (const auto& [pointer, value] : graph.fixed) pointers += pointer + "\n";
  return pointers;
}

}  // namespace

TEST_CASE("a graph's name, or its file's, leaves room for its run folder's") {
  const std::string longest(200, 'a');
  const std::string rest = GraphText().str().substr(1);
  CHECK(LoadFake(R"({"name": ")" + longest + R"(",)" + rest).name == longest);
  CHECK(Has(FaultsOf(R"({"name": "b)" + longest + R"(",)" + rest), "/name",
            "has 201 bytes; at most 200 are allowed"));
  CHECK_THROWS_AS(LoadText("{" + rest, "b" + longest + ".json", {}, FakeLookup()), GraphError);
}

TEST_CASE("the resolved graph has every default and loads as the same graph") {
  GraphText text;
  text.augment += R"(, "ops": [{"op": "flip"}], "cache": "1 MiB")";
  const ValidatedGraph graph = LoadFake(text.str());
  CHECK(
      graph.resolved.At("stages").At("augment").ToJson() ==
      R"({"type":"image.augment","size":[352,288],"mode":"fast","exact":false,"ops":[{"op":"flip","p":0.5}],"cache":1048576,"pause":0.5,"gamma":1.0,"note":"","rng_key":""})");
  CHECK(graph.resolved.At("stages").At("files").At("sampler").ToJson() ==
        R"({"shuffle":false,"rank":0,"world_size":1})");
  CHECK(graph.resolved.At("run").At("stall_timeout") == Value(300.0));
  const ValidatedGraph again = LoadFake(graph.resolved.ToJson());
  CHECK(again.resolved == graph.resolved);
  CHECK(again.fixed == graph.fixed);
  CHECK(again.chains[0].streams == graph.chains[0].streams);
}

TEST_CASE("batch transforms come in the order in which batches flow, however the file has them") {
  GraphText text;
  text.more_stages = R"("second": {"type": "train.upload"}, "first": {"type": "train.upload"})";
  text.edges = R"("files -> decode -> augment -> staging -> first -> second -> net.train")";
  const ValidatedGraph graph = LoadFake(text.str());
  REQUIRE(graph.batch_transforms.size() == 2);
  CHECK(graph.batch_transforms[0].name == "first");
}

TEST_CASE("an observer may come and go between a run and its resumption") {
  GraphText without, with;
  with.more_stages = R"("look": {"type": "monitor.preview"})";
  with.edges += R"(, "staging -> look")";
  CHECK(LoadFake(with.str()).fixed == LoadFake(without.str()).fixed);
}

TEST_CASE("fixed are seed, edges, types and the parameters of data and training") {
  GraphText text;
  text.augment += R"(, "ops": [{"op": "jitter"}])";
  const ValidatedGraph graph = LoadFake(text.str());
  CHECK(FixedPointers(graph) ==
        "/seed\n"
        "/stages/files/type\n"
        "/stages/files/root\n"
        "/stages/files/sets\n"
        "/stages/files/sampler/shuffle\n"
        "/stages/files/sampler/rank\n"
        "/stages/files/sampler/world_size\n"
        "/stages/files/on_bad\n"
        "/stages/decode/type\n"
        "/stages/decode/rng_key\n"
        "/stages/augment/type\n"
        "/stages/augment/size\n"
        "/stages/augment/mode\n"
        "/stages/augment/exact\n"
        "/stages/augment/ops/0/op\n"
        "/stages/augment/ops/0/brightness\n"
        "/stages/augment/gamma\n"
        "/stages/augment/rng_key\n"
        "/stages/staging/type\n"
        "/stages/staging/batch\n"
        "/stages/staging/last_batch\n"
        "/stages/net/type\n"
        "/stages/net/lr\n"
        "/stages/net/model/backbone\n"
        "/edges\n");
  CHECK(graph.fixed[0].second == Value(42));
}

TEST_CASE("runtime parameters change nothing that is fixed, others do") {
  GraphText text;
  const auto fixed = LoadFake(text.str()).fixed;
  GraphText runtime;
  runtime.files += R"(, "limit": 5, "io_threads": 9)";
  runtime.staging += R"(, "slots": 9)";
  runtime.after = R"("run": {"threads": 3})";
  CHECK(LoadFake(runtime.str()).fixed == fixed);
  GraphText lr;
  lr.net = R"("lr": 0.5)";
  CHECK(LoadFake(lr.str()).fixed != fixed);
}

TEST_CASE(
    "which of them say where a source's files lie is known, but of a source that a phase changes") {
  using Paths = std::map<std::string, std::string>;
  GraphText text;
  text.net = R"("model": {"weights": "here"})";  // of a trainer, which is no source
  CHECK(LoadFake(text.str()).source_paths == Paths{{"/stages/files/root", "files"}});
  text.after =
      R"("phases": [{"name": "a", "epochs": 1}, {"name": "b", "epochs": 1, "set": {"/stages/files/root": "there"}}])";
  CHECK(LoadFake(text.str()).source_paths == Paths{});
  text.after =
      R"("phases": [{"name": "a", "epochs": 1}, {"name": "b", "epochs": 1,
          "set": {"/stages/net/lr": 0.5, "/stages/files/limit": 5}}])";
  CHECK(LoadFake(text.str()).source_paths.size() == 1);
  // The checkpoint of the one phase does not know the samples of the other, wherever they lie.
  text.files = R"("root": "/data", "sets": ["a"])";
  for (const char* other : {R"(["b"])", "[]"}) {
    CAPTURE(other);
    text.after =
        R"("phases": [{"name": "a", "epochs": 1}, {"name": "b", "epochs": 1, "set": {"/stages/files/sets": )" +
        std::string(other) + "}}]";
    CHECK(LoadFake(text.str()).source_paths == Paths{});
  }
}

TEST_CASE("nor are the paths known of a source that draws from one that a phase changes") {
  using Paths = std::map<std::string, std::string>;
  GraphText text;
  text.more_stages = R"("chosen": {"type": "data.chosen", "list": "/list", "ops": [{"op": "flip"}]},
                        "other": {"type": "data.files", "root": "/other"})";
  text.edges =
      R"("files -> chosen -> decode -> augment -> staging -> net.train", "other -> chosen")";
  const auto paths_with = [&](const std::string& set) {
    text.after = R"("phases": [{"name": "a", "epochs": 1, "set": {)" + set + "}}]";
    return LoadFake(text.str()).source_paths;
  };
  const Paths all{{"/stages/chosen/list", "chosen"},
                  {"/stages/files/root", "files"},
                  {"/stages/other/root", "other"}};
  CHECK(paths_with("") == all);
  CHECK(paths_with(R"("/stages/files/sets": ["b"])") == Paths{{"/stages/other/root", "other"}});
  // A part that a phase takes away is a change as well.
  CHECK(paths_with(R"("/stages/chosen/ops": [])") ==
        Paths{{"/stages/files/root", "files"}, {"/stages/other/root", "other"}});
}

TEST_CASE("how chains are split over lines changes nothing that is fixed") {
  GraphText text;
  text.edges = R"("augment->staging -> net.train", "files -> decode", "decode -> augment.in")";
  CHECK(LoadFake(text.str()).fixed == LoadFake(GraphText().str()).fixed);
}

}  // namespace flowtrain::config
