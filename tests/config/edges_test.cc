// Edges: which shapes a graph may have, and what is said of the others.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

// The faults of these edges, with `more` stages besides the usual ones.
std::vector<std::string> Edges(const std::string& edges,
                               const std::vector<std::string>& more = {}) {
  GraphText text;
  text.edges = edges;
  for (const std::string& stage : more)
    text.more_stages += (text.more_stages.empty() ? "" : ", ") + stage;
  return FaultsOf(text.str());
}

const std::string kFlip = R"("flip": {"type": "image.flip"})",
                  kUp = R"("up": {"type": "train.upload"})",
                  kMix = R"("mix": {"type": "train.mixup"})",
                  kNull = R"("null": {"type": "monitor.null"})",
                  kPre = R"("pre": {"type": "monitor.preview"})";
const std::string kMain = R"("files -> decode -> augment -> staging -> net.train")";

}  // namespace

TEST_CASE("chains may be split over lines, and batches may be shared") {
  GraphText text;
  text.more_stages = kUp + ", " + kNull + ", " + kPre;
  text.edges =
      R"("files->decode", "decode -> augment.in -> staging -> up -> net.train", "staging -> null.in", " up ->  pre ")";
  const ValidatedGraph graph = LoadFake(text.str());
  REQUIRE(graph.chains.size() == 1);
  CHECK(graph.chains[0].source.name == "files");
  CHECK(graph.chains[0].transforms.size() == 2);
  CHECK(graph.chains[0].staging == "staging");
  CHECK(graph.batch_transforms.size() == 1);
  CHECK(graph.consumers.size() == 3);
  std::vector<std::string> edges;
  for (const BatchEdge& edge : graph.batch_edges)
    edges.push_back(edge.from + ">" + edge.to + "." + edge.port);
  CHECK(edges ==
        std::vector<std::string>{"staging>up.in", "up>net.train", "staging>null.in", "up>pre.in"});
}

TEST_CASE("two chains may feed one consumer") {
  GraphText text;
  text.more_stages = R"("vf": {"type": "data.files", "root": "/v"}, "vd": {"type": "image.decode"},
    "va": {"type": "image.augment", "size": [10, 20]}, "vs": {"type": "staging", "batch": 1})";
  text.edges = kMain + R"(, "vf -> vd -> va -> vs -> net.val")";
  const ValidatedGraph graph = LoadFake(text.str());
  CHECK(graph.chains.size() == 2);
  CHECK(graph.chains[1].staging == "vs");
}

TEST_CASE("an edge to a stage that isn't there is told the nearest, and nothing besides") {
  CHECK(Edges(R"("files -> decod -> augment -> staging -> net.train")") ==
        std::vector<std::string>{
            "/stages/decode: no edge leads to or from \"decode\"",
            "/edges/0: there is no stage \"decod\", did you mean \"decode\"? Allowed: \"files\", "
            "\"decode\", \"augment\", \"staging\", \"net\""});
}

TEST_CASE("an unknown port is told the nearest; a port is named where there are several") {
  CHECK(Edges(R"("files -> decode -> augment -> staging -> net.trian")") ==
        std::vector<std::string>{"/edges/0: \"net\" has no input \"trian\", did you mean "
                                 "\"train\"? Allowed: \"train\", \"val\""});
  CHECK(Edges(R"("files -> decode -> augment -> staging -> net")") ==
        std::vector<std::string>{"/edges/0: \"net\" has several inputs; name one, as in "
                                 "\"net.train\"; allowed: \"train\", \"val\""});
  CHECK(Has(Edges(R"("files -> decode.left -> augment -> staging -> net.train")"), "/edges/0",
            "\"decode\" has no input \"left\""));
  CHECK(Has(Edges(R"("files.out -> decode -> augment -> staging -> net.train")"), "/edges/0",
            "the first stage of a chain takes nothing"));
}

TEST_CASE("two edges into one input are a fault that names both") {
  const auto faults = Edges(kMain + R"(, "staging -> up -> net.train")", {kUp});
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] ==
        "/edges/1: two edges lead into \"net.train\": from \"staging\" (/edges/0) and from \"up\"; "
        "an input takes one");
  CHECK(Has(Edges(kMain + R"(, "flip -> staging")", {kFlip}), "/edges/1",
            "two edges lead into \"staging\""));
}

TEST_CASE("a required input without an edge is a fault, an optional one isn't") {
  CHECK(Edges(R"("files -> decode -> augment -> staging -> net.val")") ==
        std::vector<std::string>{"/stages/net: no edge leads into its input \"train\""});
  CHECK(Edges(kMain).empty());
}

TEST_CASE("an output that nobody reads is a fault") {
  CHECK(Edges(kMain + R"(, "staging -> up")", {kUp}) ==
        std::vector<std::string>{"/stages/up: no stage reads the batches of \"up\""});
  const auto faults = Edges(R"("files -> decode", "augment -> staging -> net.train")");
  CHECK(Has(faults, "/stages/decode",
            "no stage reads the samples of \"decode\"; a chain of samples ends in a stage of type "
            "\"staging\""));
  CHECK(Has(faults, "/stages/augment",
            "no edge leads into \"augment\"; a chain of samples starts at a source"));
}

TEST_CASE("a stage without any edge is named once") {
  CHECK(Edges(kMain, {kFlip}) ==
        std::vector<std::string>{"/stages/flip: no edge leads to or from \"flip\""});
}

TEST_CASE("a circle is shown") {
  const auto faults = Edges(kMain + R"(, "up -> mix -> up", "mix -> null")", {kUp, kMix, kNull});
  CHECK(Has(faults, "/edges/1", "the edges run in a circle: up -> mix -> up"));
  CHECK(Has(
      Edges(R"("files -> decode -> augment -> flip -> augment", "flip -> staging -> net.train")",
            {kFlip}),
      "/edges/0", "the edges run in a circle: augment -> flip -> augment"));
  CHECK(Has(Edges(kMain + R"(, "up -> up")", {kUp}), "/edges/1",
            "the edges run in a circle: up -> up"));
}

TEST_CASE("samples need staging before a batch stage, and only before") {
  CHECK(Edges(R"("files -> decode -> augment -> net.train", "staging -> null")", {kNull}).at(1) ==
        "/edges/0: \"augment -> net\": \"net\" takes batches, \"augment\" gives samples; a stage "
        "of type \"staging\" has to stand between");
  CHECK(Edges(R"("files -> decode -> augment -> staging -> flip -> net.train")", {kFlip}).at(0) ==
        "/edges/0: \"staging -> flip\": \"flip\" takes samples, \"staging\" gives batches; it has "
        "to stand before staging");
  CHECK(Has(Edges(kMain + R"(, "decode -> files")"), "/edges/1",
            "\"files\" is a source, which has no input"));
  CHECK(Has(Edges(kMain + R"(, "net -> null")", {kNull}), "/edges/1",
            "\"net\" is a consumer, which has no output"));
}

TEST_CASE("samples go one way") {
  const auto faults = Edges(
      R"("files -> decode -> augment -> staging -> net.train", "files -> flip -> s2 -> null")",
      {kFlip, kNull, R"("s2": {"type": "staging", "batch": 2})"});
  CHECK(
      Has(faults, "/edges/1", "\"files\" feeds both \"decode\" and \"flip\"; samples go one way"));
}

TEST_CASE("a stage that edits batches is their only reader") {
  CHECK(Edges(R"("files -> decode -> augment -> staging -> mix -> net.train")", {kMix}).empty());
  CHECK(Edges(R"("files -> decode -> augment -> staging -> mix -> net.train", "staging -> null")",
              {kMix, kNull}) ==
        std::vector<std::string>{"/edges/0: \"mix\" writes into the batches of \"staging\", so it "
                                 "must be their only reader; \"null\" reads them too"});
}

TEST_CASE("a run needs a consumer that is no observer") {
  const std::string stages =
      R"({"stages": {"f": {"type": "data.files", "root": "/d"}, "d": {"type": "image.decode"},
    "a": {"type": "image.augment", "size": [8, 8]}, "s": {"type": "staging", "batch": 2}, "p": {"type": "monitor.preview"}},
    "edges": ["f -> d -> a -> s -> p"]})";
  CHECK(Has(FaultsOf(stages), "/stages", "every consumer in it only observes"));
}

TEST_CASE("text that is no chain is refused with an example") {
  for (const char* wrong :
       {R"("")", R"("files")", R"("files -> ")", R"("-> decode")", R"("files -> -> decode")"}) {
    CHECK_MESSAGE(Has(Edges(kMain + ", " + wrong), "/edges/1", "is no chain; one looks like"),
                  wrong);
  }
  CHECK(Has(Edges(kMain + ", 7"), "/edges/1", "expected a chain such as"));
  CHECK(Has(FaultsOf(R"({"stages": {"n": {"type": "monitor.null"}}, "edges": {}})"), "/edges",
            "expected a list of chains"));
  CHECK(
      Has(FaultsOf(R"({"stages": {"n": {"type": "monitor.null"}}})"), "", "\"edges\" is missing"));
}

}  // namespace flowtrain::config
