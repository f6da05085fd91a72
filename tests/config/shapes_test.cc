// What a staged batch carries follows from the declarations along the chain.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

std::vector<RowTensor> Rows(const GraphText& text) {
  return LoadFake(text.str()).chains.at(0).rows;
}

}  // namespace

TEST_CASE("a row has the last maker's size, a mask one channel, a label none") {
  const auto rows = Rows({});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "image");
  CHECK(rows[0].dtype == DType::kU8);
  CHECK(rows[0].shape == std::vector<int64_t>{352, 288, 3});
  CHECK(rows[0].last_maker == 1);
  CHECK(rows[1].name == "mask");
  CHECK(rows[1].shape == std::vector<int64_t>{352, 288, 1});
  CHECK(rows[2].name == "class");
  CHECK(rows[2].dtype == DType::kI64);
  CHECK(rows[2].shape.empty());
  CHECK(rows[2].last_maker == -1);
}

TEST_CASE("a source yields what its parameters ask for, and stages find nothing else") {
  const auto graph = [](const std::string& target, const std::string& into = "monitor.null",
                        const std::string& port = "n.in") {
    return R"({"stages": {"f": {"type": "data.rows")" + target +
           R"(}, "d": {"type": "image.decode"},
      "a": {"type": "image.augment", "size": [8, 8]}, "s": {"type": "staging", "batch": 2},
      "n": {"type": ")" +
           into + R"("}}, "edges": ["f -> d -> a -> s -> )" + port + R"("]})";
  };
  const auto names = [&](const std::string& target) {
    const ValidatedGraph loaded = LoadFake(graph(target));
    std::vector<std::string> names;
    for (const RowTensor& row : loaded.chains.at(0).rows) names.push_back(row.name);
    return names;
  };
  CHECK(names("") == std::vector<std::string>{"image", "label"});
  CHECK(names(R"(, "target": "mask")") == std::vector<std::string>{"image", "mask"});
  CHECK(Has(FaultsOf(graph("", "train.net", "n.train")), "/edges/0",
            "needs the tensor \"mask\"; the batches of \"s\" carry \"image\", \"label\""));
  for (const char* wrong : {R"("maks")", "7"}) {  // no fault beside that
    CHECK(FaultsOf(graph(R"(, "target": )" + std::string(wrong), "train.net", "n.train")).size() ==
          1);
  }
  CHECK(Has(FaultsOf(graph(R"(, "target": "odd")")), "/stages/f", "can't tell what it makes of \"label\": no rows are odd"));
}

TEST_CASE("a stage that edits is no maker") {
  GraphText text;
  text.edges = R"("files -> decode -> augment -> flip -> staging -> net.train")";
  text.more_stages = R"("flip": {"type": "image.flip"})";
  CHECK(Rows(text)[0].last_maker == 1);
  text.more_stages += R"(, "again": {"type": "image.augment", "size": [7, 9]})";
  text.edges = R"("files -> decode -> augment -> flip -> again -> staging -> net.train")";
  CHECK(Rows(text)[0].last_maker == 3);
  CHECK(Rows(text)[0].shape == std::vector<int64_t>{7, 9, 3});
}

TEST_CASE("an image without a size at staging names the stage that should give one") {
  GraphText text;
  text.augment = "";
  CHECK(Has(FaultsOf(text.str()), "/stages/augment",
            "no stage between \"augment\" and \"staging\" gives \"image\" a size: set \"size\" of "
            "\"augment\" (/stages/augment/size)"));
  const auto faults = FaultsOf(
      R"({"stages": {"f": {"type": "data.files", "root": "/d"}, "decode": {"type": "image.decode"},
    "staging": {"type": "staging", "batch": 2}, "n": {"type": "monitor.null"}}, "edges": ["f -> decode -> staging -> n"]})");
  CHECK(faults.size() == 2);  // image and mask
  CHECK(Has(faults, "/stages/staging",
            "no stage between \"decode\" and \"staging\" gives \"image\" a size: add a stage that "
            "does, such as image.augment with \"size\""));
}

TEST_CASE("what is still encoded at staging is a fault") {
  const auto faults = FaultsOf(
      R"({"stages": {"f": {"type": "data.files", "root": "/d"}, "s": {"type": "staging", "batch": 2},
    "n": {"type": "monitor.null"}}, "edges": ["f -> s -> n"]})");
  CHECK(faults.size() == 2);
  CHECK(Has(faults, "/stages/s",
            "\"mask\" is still encoded when it reaches \"s\"; a stage that decodes it has to stand "
            "before, such as image.decode"));
}

TEST_CASE("a stage that finds the wrong thing under a name is told what there is") {
  GraphText text;
  text.edges = R"("files -> augment -> decode -> staging -> net.train")";
  const auto faults = FaultsOf(text.str());
  CHECK(Has(faults, "/stages/augment",
            "\"image.augment\" needs \"image\" as an image; at its place in the chain there is "
            "\"image\" (encoded bytes), \"mask\" (encoded bytes), \"class\" (a label)"));
}

TEST_CASE("a size that is at fault is reported once, not again at staging") {
  GraphText text;
  text.augment = R"("size": "big")";
  CHECK(FaultsOf(text.str()).size() == 1);
}

TEST_CASE("an input gets the tensors it needs, also through batch transforms") {
  const std::string text =
      R"({"stages": {"f": {"type": "data.files", "root": "/d"}, "d": {"type": "image.decode"},
    "a": {"type": "image.augment", "size": [8, 8]}, "s": {"type": "staging", "batch": 2}, "u": {"type": "train.upload"},
    "n": {"type": "train.net"}}, "edges": ["f -> d -> a -> s -> u -> n.train"]})";
  CHECK(FaultsOf(text).empty());
  // The same with a declaration that asks for more than flows.
  Lookup lookup = FakeLookup();
  lookup.stage = [fake = FakeLookup()](const std::string& type, std::vector<std::string>& known,
                                       std::string& why) {
    const StageDeclaration* found = fake.stage(type, known, why);
    if (type != "train.net") return found;
    static StageDeclaration greedy = *found;
    greedy.inputs[0].tensors = {"image", "depth"};
    return const_cast<const StageDeclaration*>(&greedy);
  };
  CHECK_THROWS_WITH_AS(LoadText(text, "g.json", {}, lookup),
                       "g.json: /edges/0: the input \"n.train\" needs the tensor \"depth\"; the "
                       "batches of \"u\" carry \"image\", \"mask\", \"class\"",
                       GraphError);
}

TEST_CASE(
    "a stage draws from its key, or from its type and ordinal in the chain, whatever its name") {
  GraphText text;
  text.more_stages =
      R"("b": {"type": "image.augment", "size": [8, 8]}, "c": {"type": "image.augment", "size": [8, 8], "rng_key": "mine"})";
  text.edges = R"("files -> decode -> augment -> b -> c -> staging -> net.train")";
  const auto streams = LoadFake(text.str()).chains.at(0).streams;
  REQUIRE(streams.size() == 4);
  // FNV-1a, written out so that a change of the rule shows.
  const auto hash = [](const std::string& key) {
    uint64_t h = 0xcbf29ce484222325ULL;
    for (const char c : key) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return h;
  };
  CHECK(streams == std::vector<uint64_t>{hash("image.decode#0"), hash("image.augment#0"),
                                         hash("image.augment#1"), hash("mine")});
}

}  // namespace flowtrain::config
