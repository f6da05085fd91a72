// A source that draws from other sources: the edges into it, its weights, what may be set where.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

struct MixText {
  std::string a = R"("type": "data.files", "root": "/a")";
  std::string b = R"("type": "data.files", "root": "/b")";
  std::string weights = R"({"a": 3, "b": 1})";
  std::string more_stages;
  std::string edges = R"("a -> both -> decode -> augment -> staging -> net.train", "b -> both")";
  std::string both;

  std::string str() const {
    const auto more = [](const std::string& text) { return text.empty() ? text : ", " + text; };
    return R"({"seed": 42, "stages": {"a": {)" + a + R"(}, "b": {)" + b +
           R"(}, "both": {"type": "data.mix", "weights": )" + weights + more(both) +
           R"(}, "decode": {"type": "image.decode"}, "augment": {"type": "image.augment", "size": [8, 8]},)" +
           R"("staging": {"type": "staging", "batch": 8}, "net": {"type": "train.net"})" + more(more_stages) +
           R"(}, "edges": [)" + edges + "]}";
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a mix begins a chain, and what leads into it stands before it in the order of the file") {
  const ValidatedGraph graph = LoadFake(MixText{.both = R"("sampler": {"shuffle": true}, "io_threads": 5)"}.str());
  REQUIRE(graph.chains.size() == 1);
  const Chain& chain = graph.chains[0];
  CHECK(chain.source.name == "both");
  CHECK(chain.source_params.sampler.shuffle);
  CHECK(chain.source_params.io_threads == 5);
  CHECK(chain.source.params.ToJson() == R"({"weights":{"a":3.0,"b":1.0}})");
  REQUIRE(chain.upstream.size() == 2);
  CHECK(chain.upstream[0].node.name == "a");
  CHECK(chain.upstream[1].node.name == "b");
  CHECK(chain.upstream[1].node.params.At("root") == Value("/b"));
  CHECK(chain.upstream[1].into == "both");
  CHECK(chain.rows.size() == 3);
}

TEST_CASE("a mix may lead into a mix") {
  MixText text;
  text.more_stages = R"("c": {"type": "data.files", "root": "/c"}, "all": {"type": "data.mix", "weights": {"both": 1, "c": 1}})";
  text.edges = R"("a -> both -> all -> decode -> augment -> staging -> net.train", "b -> both", "c -> all")";
  const ValidatedGraph graph = LoadFake(text.str());
  Lines order;
  for (const UpstreamNode& upstream : graph.chains.at(0).upstream) order.push_back(upstream.node.name + ">" + upstream.into);
  CHECK(order == Lines{"a>both", "b>both", "both>all", "c>all"});
}

TEST_CASE("the weights name each source that leads into the mix, and nothing else") {
  CHECK(FaultsOf(MixText{.weights = R"({"a": 3})"}.str()) ==
        Lines{R"(/stages/both/weights: "b" is missing: it leads into "both")"});
  CHECK(FaultsOf(MixText{.weights = R"({"a": 3, "b": 1, "bb": 1})"}.str()) ==
        Lines{R"(/stages/both/weights/bb: "bb" is no source that leads into "both"; allowed: "a", "b")"});
  CHECK(FaultsOf(MixText{.weights = R"({"a": -1, "b": 1})"}.str()) ==
        Lines{"/stages/both/weights/a: -1 is out of range: expected a number of at least 0"});
  CHECK(FaultsOf(MixText{.weights = "[3, 1]"}.str()) ==
        Lines{"/stages/both/weights: expected an object, by source, each a number of at least 0, found a list"});
}

TEST_CASE("order, threads and read-ahead of a source that leads into a mix are refused: they have no effect") {
  MixText text;
  text.a += R"(, "sampler": {"shuffle": true}, "io_threads": 3)";
  CHECK(FaultsOf(text.str()) ==
        Lines{R"(/stages/a/sampler: has no effect, as "both" draws from "a"; set it there)",
              R"(/stages/a/io_threads: has no effect, as "both" draws from "a"; set it there)"});
}

TEST_CASE("what a run keeps of a graph with a mix loads again, and fixes the weights") {
  const ValidatedGraph graph = LoadFake(MixText{}.str());
  CHECK(LoadFake(graph.resolved.ToJson()).resolved == graph.resolved);
  const auto fixed = [&](const std::string& pointer) {
    for (const auto& [name, value] : graph.fixed) {
      if (name == pointer) return value.ToJson();
    }
    return std::string("absent");
  };
  CHECK(fixed("/stages/both/weights") == R"({"a":3.0,"b":1.0})");
  CHECK(fixed("/stages/a/root") == "\"/a\"");
  CHECK(fixed("/stages/a/sampler/shuffle") == "absent");
}

TEST_CASE("what a mix draws from has to yield alike, else the difference is named") {
  CHECK(FaultsOf(MixText{.b = R"("type": "data.tiles")"}.str()) ==
        Lines{R"(/stages/both: what "both" draws from has to yield alike: "a" yields "mask" as encoded bytes, "b" yields it as an image of 8 x 8 x 1)",
              R"(/stages/both: what "both" draws from has to yield alike: "a" yields "class" as a label, "b" does not)"});
}

TEST_CASE("only sources lead into a mix, each once and nowhere else, and at least one does") {
  const std::string rest = R"("both -> decode -> augment -> staging -> net.train")";
  const auto faults = [](const std::string& edges, const std::string& more = "") {
    return FaultsOf(MixText{.more_stages = more, .edges = edges}.str());
  };
  CHECK(Has(faults(rest), "/stages/both", R"(no edge leads into "both"; it draws from other sources, at least one)"));
  CHECK(Has(faults(R"("a -> flip -> both", "b -> both", )" + rest, R"("flip": {"type": "image.flip"})"), "/edges/0",
            R"("both" draws from sources, and "flip" is none)"));
  CHECK(Has(faults(R"("a -> both", "b -> both", "a -> both", )" + rest), "/edges/2", R"("a" feeds both "both" and "both")"));
  CHECK(Has(faults(R"("a -> both", "b -> both", "a -> decode", )" + rest), "/edges/2", "samples go one way"));
  CHECK(Has(faults(R"("a -> b", "b -> both", "a -> both", )" + rest), "/edges/0", R"("b" is a source, which has no input)"));
  CHECK(Has(faults(R"("a -> both", "b -> both", "both -> other -> both", )" + rest,
                   R"("other": {"type": "data.mix", "weights": {"both": 1}})"),
            "/edges/2", "the edges run in a circle"));
  CHECK(Has(faults(R"("a -> both.left", "b -> both", )" + rest), "/edges/0", R"("both" has no input "left")"));
}

}  // namespace flowtrain::config
