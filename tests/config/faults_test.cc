// Every fault of a graph is reported at once, in the order of the file.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

#include "config/fakes.h"

namespace flowtrain::config {

TEST_CASE("all faults of a graph come in one go, in the order of the file") {
  const std::string text = R"({
  "seed": -1,
  "stages": {
    "files":   {"type": "data.filse", "root": "/data"},
    "files2":  {"type": "data.files", "rooot": "/data"},
    "decode":  {"type": "image.decode"},
    "augment": {"type": "image.augment", "size": [352, "x"], "gamma": 0, "gamma": 1, "mode": "fats"},
    "staging": {"type": "staging", "slots": 4},
    "up":      {"type": "train.upload"},
    "mix":     {"type": "train.mixup"},
    "lone":    {"type": "monitor.null"},
    "odd":     {"kind": "monitor.null"},
    "net":     {"type": "train.net", "lr": "${LR}"}
  },
  "edges": ["files -> decode -> augment -> staging -> net.train",
            "files2 -> decode", "up -> mix -> up", "staging -> net.trian", "nobody -> net.val"],
  "metrcs": {}
})";
  const auto faults = FaultsOf(text);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"/seed", "-1 is out of range: expected an integer of at least 0"},
      {"/stages/files/type", "unknown stage type \"data.filse\", did you mean \"data.files\"?"},
      {"/stages/files2", "\"root\" is missing: expected a path"},
      {"/stages/files2/rooot", "unknown parameter \"rooot\", did you mean \"root\"?"},
      {"/stages/augment/size/1", "expected an integer from 1 to 4096, found \"x\""},
      {"/stages/augment/gamma", "0 is out of range"},
      {"/stages/augment/gamma", "line 7, column 74: the key \"gamma\" stands here a second time"},
      {"/stages/augment/mode", "\"fats\" is no choice, did you mean \"fast\"?"},
      {"/stages/staging", "\"batch\" is missing"},
      {"/stages/lone", "no edge leads to or from \"lone\""},
      {"/stages/odd", "\"type\" is missing"},
      {"/stages/net/lr", "the environment variable LR is unset or empty"},
      {"/edges/1", "two edges lead into \"decode\""},
      {"/edges/2", "the edges run in a circle: up -> mix -> up"},
      {"/edges/3", "\"net\" has no input \"trian\", did you mean \"train\"?"},
      {"/edges/4", "there is no stage \"nobody\""},
      {"/metrcs", "did you mean \"metrics\"?"},
  };
  for (const auto& [pointer, part] : expected)
    CHECK_MESSAGE(Has(faults, pointer, part), pointer << ": " << part);
  size_t at = 0;
  for (const std::string& fault : faults) {
    // In order: each one is at the place of the next one expected, or of the same.
    while (at < expected.size() && !fault.starts_with(expected[at].first + ": ")) ++at;
    CHECK_MESSAGE(at < expected.size(), "out of order, or not expected: " << fault);
  }
}

TEST_CASE("a fault is one line: file, pointer, message") {
  GraphText text;
  text.augment = R"("size": [352, 288], "gamma": 0)";
  CHECK_THROWS_WITH_AS(
      LoadFake(text.str()),
      "g.json: /stages/augment/gamma: 0 is out of range: expected a number above 0", GraphError);
}

TEST_CASE("an unknown type is told the nearest and where plugins were searched") {
  GraphText text;
  text.more_stages =
      R"("x": {"type": "staginng"}, "y": {"type": 5}, "z": 6, "a.b": {"type": "monitor.null"})";
  const auto faults = FaultsOf(text.str());
  CHECK(
      Has(faults, "/stages/x/type", "unknown stage type \"staginng\", did you mean \"staging\"?"));
  CHECK(Has(faults, "/stages/x/type", "searched /plugins"));
  CHECK(Has(faults, "/stages/y/type",
            "expected a stage type such as \"data.segmentation\", found 5"));
  CHECK(Has(faults, "/stages/z", "expected an object with \"type\" and parameters, found 6"));
  CHECK(Has(faults, "/stages/a.b", "a stage's name has letters, digits"));
}

TEST_CASE("a graph without stages is refused") {
  CHECK(Has(FaultsOf("{}"), "", "\"stages\" is missing"));
  CHECK(Has(FaultsOf(R"({"stages": {}, "edges": []})"), "/stages", "there is no stage in it"));
  CHECK(Has(FaultsOf(R"({"stages": [], "edges": []})"), "/stages",
            "expected an object of stages by name, found a list"));
}

TEST_CASE("a graph's name is fit for a folder") {
  GraphText text;
  CHECK(LoadFake(text.str()).name == "g");  // the file's
  text.top = R"("name": "../up",)";
  CHECK(Has(FaultsOf(text.str()), "/name", "letters, digits"));
}

TEST_CASE(
    "what is said of a graph holds nothing that steers a terminal, and other characters as they "
    "are") {
  GraphText text;
  text.augment =
      "\"size\": [352, 288], \"mode\": \"a\xC2\x9B"
      "2J \xC2\x80 \xC2\xA0 \xE4\xBA\x9B\"";
  const doctest::Contains due(
      "/stages/augment/mode: \"a\\u009b2J \\u0080 \xC2\xA0 \xE4\xBA\x9B\" is no choice");
  CHECK_THROWS_WITH_AS(LoadFake(text.str()), due, GraphError);
}

TEST_CASE("a value of megabytes is cut in what is said of it") {
  const std::string huge(3 << 20, 'x');
  for (const std::string& text : {R"({"stages": {"a": {"type": ")" + huge + R"("}}, "edges": []})",
                                  R"({"stages": {"a": {"type": "data.files", ")" + huge + R"(": 1}}, "edges": []})",
                                  R"({")" + huge + R"(": 1})"}) {
    std::string said;
    try {
      LoadFake(text);
    } catch (const GraphError& error) {
      said = error.what();
    }
    CHECK(said.size() > 100);
    CHECK(said.size() < 5000);
    CHECK(said.find("…") != std::string::npos);
  }
}

namespace {

// What is said of a graph, in half a second where nothing else runs. The bound is far above that, and far
// below what each fault looked up among all would take (minutes).
std::string SaidAtOnce(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  std::string said;
  try {
    LoadFake(text);
  } catch (const GraphError& error) {
    said = error.what();
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
  return said;
}

}  // namespace

TEST_CASE("names of megabytes are refused at once, not compared with each other") {
  GraphText text;
  text.more_stages = "\"" + std::string(1 << 20, 'x') + R"(": {"type": "monitor.null"})";
  text.edges += ", \"" + std::string(1 << 20, 'y') + " -> net.val\"";
  const std::string said = SaidAtOnce(text.str());
  CHECK(said.find("there is no stage \"yyy") != std::string::npos);
  CHECK(said.size() < 20000);
}

TEST_CASE("of thousands of faults each is counted, and the first ones are told") {
  GraphText text;
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i);
    text.more_stages += (i == 0 ? "\"s" : ", \"s") + n + R"(": {"type": "monitor.null"})";
    text.edges += ", \"t" + n + " -> u" + n + "\"";
  }
  const std::string said = SaidAtOnce(text.str());
  CHECK(std::count(said.begin(), said.end(), '\n') == 100);
  CHECK(said.find("there is no stage \"t0\"") != std::string::npos);
  CHECK(said.find("\ng.json: and 14900 more faults") != std::string::npos);
  CHECK(said.size() < 250000);
}

}  // namespace flowtrain::config
