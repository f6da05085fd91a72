// JSON text: comments, duplicate keys, and where it breaks.
#include <doctest/doctest.h>

#include "config/fakes.h"
#include "pipeline/config/json_text.h"

namespace flowtrain::config {
namespace {

Value Parsed(const std::string& text) {
  Faults faults("g.json");
  const auto value = ParseJson(text, faults);
  faults.ThrowIfAny();
  return *value;
}

}  // namespace

TEST_CASE("JSON keeps key order, kinds and digits") {
  const std::string text = R"({"z":[1,-2,0.25,1e3],"a":{"t":true,"n":null},"s":"\u00e9"})";
  CHECK(Parsed(text).ToJson() ==
        "{\"z\":[1,-2,0.25,1000.0],\"a\":{\"t\":true,\"n\":null},\"s\":\"é\"}");
  CHECK(Parsed("9223372036854775807").AsInteger() == INT64_MAX);
  CHECK_FALSE(Parsed("9223372036854775808").is_integer());
}

TEST_CASE("// comments are allowed") {
  CHECK(Parsed("{ // why\n \"a\": 1 // one\n}").At("a") == Value(1));
}

TEST_CASE("broken JSON is one fault with line and column") {
  const auto faults = FaultsOf("{\n  \"seed\": 42,\n  \"name\": oops\n}");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].starts_with("line 3, column 11: broken JSON: "));
  CHECK(Has(FaultsOf("{\"a\": [1, 2"), "line 1, column 12", "unexpected end of input"));
  CHECK(Has(FaultsOf("{\"a\": 1,}"), "line 1, column 9", "unexpected '}'"));
  CHECK(Has(FaultsOf(""), "line 1, column 1", "broken JSON"));
  CHECK(Has(FaultsOf("{} {}"), "line 1, column 4", "broken JSON"));
  CHECK(Has(FaultsOf("{\"a\": 1e999}"), "line 1, column 11", "broken JSON"));
}

TEST_CASE("a duplicate key is a fault with its line and column, and the checks go on") {
  GraphText text;
  text.augment = "\"size\": [352, 352],\n  \"size\": [1, 1], \"gamma\": 0";
  const auto faults = FaultsOf(text.str());
  CHECK(faults.size() == 2);
  CHECK(Has(faults, "/stages/augment/size",
            "line 6, column 3: the key \"size\" stands here a second time"));
  CHECK(Has(faults, "/stages/augment/gamma", "0 is out of range"));
}

TEST_CASE("a NUL byte is refused where it stands, and what follows is not ignored") {
  for (const std::string& text : {std::string("{}\n\0", 4), std::string("{\n\0\"seed\": 1}", 12)}) {
    const std::vector<std::string> faults = FaultsOf(text);
    REQUIRE(faults.size() == 1);
    CHECK(Has(faults, "line 2, column 1", "a NUL byte stands here"));
  }
}

TEST_CASE("text that is nested too deep is refused, not followed") {
  const auto faults = FaultsOf(std::string(100000, '['));
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] == "line 1, column 101: nested deeper than 100 levels");
}

TEST_CASE("a graph that is no object, or no file, is refused") {
  CHECK(FaultsOf("[1]")[0].find("expected an object with \"name\"") != std::string::npos);
  CHECK_THROWS_WITH_AS(Load("/no/such.json", {}, FakeLookup()),
                       "/no/such.json: can't be read: No such file or directory", GraphError);
  CHECK_THROWS_WITH_AS(Load("/", {}, FakeLookup()), "/: this is a folder; expected a graph file",
                       GraphError);
}

}  // namespace flowtrain::config
