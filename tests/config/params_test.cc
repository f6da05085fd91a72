// Parameters: what each kind takes, and what a wrong one is told.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

// The faults of image.augment with these parameters besides its size.
std::vector<std::string> Augment(const std::string& params) {
  GraphText text;
  text.augment += ", " + params;
  return FaultsOf(text.str());
}

Value Loaded(const std::string& params) {
  GraphText text;
  text.augment += ", " + params;
  return LoadFake(text.str()).chains.at(0).transforms.at(1).params;
}

}  // namespace

TEST_CASE("an unknown parameter is told the nearest and all there are") {
  const auto faults = Augment(R"("gama": 2)");
  REQUIRE(faults.size() == 1);
  CHECK(
      faults[0].starts_with("/stages/augment/gama: unknown parameter \"gama\", did you mean "
                            "\"gamma\"? Allowed: \"type\", \"size\""));
  CHECK(Augment(R"("zzzzzzzz": 2)").at(0).find("did you mean") == std::string::npos);
}

TEST_CASE("a value of the wrong kind is told what was found and what is allowed") {
  CHECK(Augment(R"("gamma": "2")").at(0) ==
        "/stages/augment/gamma: expected a number above 0, found \"2\"");
  CHECK(Augment(R"("exact": 1)").at(0) == "/stages/augment/exact: expected true or false, found 1");
  CHECK(Augment(R"("note": null)").at(0) == "/stages/augment/note: expected a string, found null");
  CHECK(Augment(R"("mode": 3)").at(0) ==
        "/stages/augment/mode: expected one of \"fast\", \"careful\", found 3");
  CHECK(Augment(R"("ops": {})")
            .at(0)
            .starts_with("/stages/augment/ops: expected a list of 0 to 3 elements, each an object "
                         "whose \"op\""));
  GraphText text;
  text.net = R"("model": "base")";
  CHECK(FaultsOf(text.str()).at(0) ==
        "/stages/net/model: expected an object with \"backbone\", \"head\", \"weights\", found \"base\"");
}

TEST_CASE("what a plugin is to provide is looked up by its name, and a name without a dot is one of few") {
  const auto net = [](const std::string& params) {
    GraphText text;
    text.net = params;
    const auto faults = FaultsOf(text.str());
    return faults.empty() ? "" : faults.at(0);
  };
  CHECK(net(R"("loss": "weighted")").empty());
  CHECK(net(R"("loss": "acme.focal", "model": {"head": "acme.head"})").empty());
  CHECK(net(R"("loss": "wieghted")") ==
        "/stages/net/loss: \"wieghted\" is no choice, did you mean \"weighted\"? Allowed: \"plain\", "
        "\"weighted\", or <plugin>.<name>, which a plugin provides");
  CHECK(net(R"("loss": "acne.focal")") ==
        "/stages/net/loss: nothing provides \"acne.focal\" as tests.Loss/1; allowed: \"plain\", "
        "\"weighted\", or <plugin>.<name>, which a plugin provides");
  CHECK(net(R"("model": {"head": "acne.head"})")
            .starts_with("/stages/net/model/head: nothing provides \"acne.head\" as tests.Head/1"));
  CHECK(net(R"("extras": ["plain", "acme.focal"])").empty());
  CHECK(net(R"("extras": ["plain", "acne.focal"])")
            .starts_with("/stages/net/extras/1: nothing provides \"acne.focal\" as tests.Loss/1"));
  CHECK(net(R"("loss": 3)") ==
        "/stages/net/loss: expected \"plain\", \"weighted\", or <plugin>.<name>, which a plugin "
        "provides, found 3");
}

TEST_CASE(
    "a path that only a shell would take into the home folder is refused, and how to write it") {
  const auto faults = [](const std::string& files, const Variables& variables = {}) {
    GraphText text;
    text.files = files;
    return FaultsOf(text.str(), {}, variables);
  };
  const auto all = std::vector<std::string>{
      R"(/stages/files/root: "~" is the home folder to a shell only, found "~/sets"; write "${HOME}/sets")"};
  CHECK(faults(R"("root": "~/sets")") == all);
  CHECK(faults(R"("root": "${SETS}")", {{"SETS", "~/sets"}}) == all);
  CHECK(Has(faults(R"("root": "/x", "cache_dir": "~/cache")"), "/stages/files/cache_dir",
            R"(write "${HOME}/cache")"));
  CHECK(Has(faults(R"("root": "~")"), "/stages/files/root", R"(found "~"; write "${HOME}")"));
  for (const char* other : {"~sets", "a/~/b", "./~/sets"}) {
    CAPTURE(other);
    CHECK(faults(R"("root": ")" + std::string(other) + "\"").empty());
  }
}

TEST_CASE("ranges hold at their ends") {
  CHECK(Augment(R"("gamma": 0)").at(0) ==
        "/stages/augment/gamma: 0 is out of range: expected a number above 0");
  CHECK(Augment(R"("gamma": 1e-9)").empty());
  GraphText text;
  text.staging = R"("batch": 65536)";
  CHECK(FaultsOf(text.str()).empty());
  text.staging = R"("batch": 65537)";
  CHECK(FaultsOf(text.str()).at(0) ==
        "/stages/staging/batch: 65537 is out of range: expected an integer from 1 to 65536");
  text.staging = R"("batch": 0)";
  CHECK(FaultsOf(text.str()).size() == 1);
}

TEST_CASE("an integer may be written as 1e3, but has no fraction") {
  GraphText text;
  text.staging = R"("batch": 1e3)";
  CHECK(LoadFake(text.str()).chains[0].staging_params.batch == 1000);
  text.staging = R"("batch": 1.5)";
  CHECK(FaultsOf(text.str()).at(0) ==
        "/stages/staging/batch: expected an integer from 1 to 65536, found 1.5");
}

TEST_CASE("a choice that isn't one is told the nearest") {
  CHECK(Augment(R"("mode": "carefull")").at(0) ==
        "/stages/augment/mode: \"carefull\" is no choice, did you mean \"careful\"? Allowed: "
        "\"fast\", \"careful\"");
}

TEST_CASE("lists have their sizes, and each element its place") {
  GraphText text;
  text.augment = R"("size": [1, 2, 3])";
  CHECK(FaultsOf(text.str())
            .at(0)
            .starts_with("/stages/augment/size: found 3 elements, expected a list of 2 elements, "
                         "each an integer from 1 to 4096"));
  text.augment = R"("size": [352, 5000])";
  CHECK(FaultsOf(text.str()).at(0).starts_with("/stages/augment/size/1: 5000 is out of range"));
  CHECK(Augment(R"("ops": [{"op":"flip"},{"op":"flip"},{"op":"flip"},{"op":"flip"}])")
            .at(0)
            .starts_with("/stages/augment/ops: found 4 elements"));
}

TEST_CASE("a one_of is checked by its tag") {
  CHECK(Augment(R"("ops": [{"op": "flipp"}])").at(0) ==
        "/stages/augment/ops/0/op: \"flipp\" is no choice, did you mean \"flip\"? Allowed: "
        "\"flip\", \"jitter\"");
  CHECK(Augment(R"("ops": [{"p": 1}])").at(0) ==
        "/stages/augment/ops/0: \"op\" is missing; allowed: \"flip\", \"jitter\"");
  CHECK(Augment(R"("ops": [{"op": "flip"}, {"op": "jitter", "p": 1}])")
            .at(0)
            .starts_with("/stages/augment/ops/1/p: unknown parameter \"p\""));
  CHECK(Augment(R"("ops": [{"op": "flip", "p": 2}])")
            .at(0)
            .starts_with("/stages/augment/ops/0/p: 2 is out of range"));
  CHECK(Augment(R"("ops": [7])")
            .at(0)
            .starts_with("/stages/augment/ops/0: expected an object whose \"op\" is one of"));
  CHECK(Loaded(R"("ops": [{"op": "jitter"}])").At("ops").ToJson() ==
        R"([{"op":"jitter","brightness":0.1,"workers":1}])");
}

TEST_CASE("bytes and durations have units, and arrive as numbers") {
  CHECK(Loaded(R"("cache": "2 GiB")").At("cache") == Value(2LL << 30));
  CHECK(Loaded(R"("cache": "1.5MiB")").At("cache") == Value(3 << 19));
  CHECK(Loaded(R"("cache": 4096)").At("cache") == Value(4096));
  CHECK(Loaded(R"("pause": "200 ms")").At("pause") == Value(0.2));
  CHECK(Loaded(R"("pause": "5 min")").At("pause") == Value(300.0));
  CHECK(Loaded(R"("pause": "1.5 h")").At("pause") == Value(5400.0));
  CHECK(Loaded(R"("pause": 3)").At("pause") == Value(3.0));
  for (const char* wrong :
       {R"("2 GB")", R"("GiB")", R"("-1 GiB")", R"("2")", "-5", "1.5", R"("99999999999 TiB")"}) {
    CHECK_MESSAGE(Has(Augment(std::string(R"("cache": )") + wrong), "/stages/augment/cache",
                      "expected a size such as \"512 MiB\""),
                  wrong);
  }
  for (const char* wrong : {R"("3 days")", R"("30")", "-1", "true"}) {
    CHECK_MESSAGE(Has(Augment(std::string(R"("pause": )") + wrong), "/stages/augment/pause",
                      "expected a duration such as \"30 s\""),
                  wrong);
  }
  CHECK(Augment(R"("cache": "1 B")").at(0).find("\"1 B\" is out of range") != std::string::npos);
  CHECK(Augment(R"("pause": "0 s")").at(0).find("\"0 s\" is out of range") != std::string::npos);
}

TEST_CASE("what is required and missing is said once, with what is allowed") {
  GraphText text;
  text.files = "";
  text.staging = "";
  const auto faults = FaultsOf(text.str());
  CHECK(faults ==
        std::vector<std::string>{
            "/stages/files: \"root\" is missing: expected a path",
            "/stages/staging: \"batch\" is missing: expected an integer from 1 to 65536"});
}

TEST_CASE("null, or leaving it out, empties an optional") {
  GraphText text;
  text.net = R"("model": {"backbone": "base", "weights": null})";
  CHECK(LoadFake(text.str()).consumers[0].params.At("model").At("weights").is_null());
  text.net = R"("model": {"weights": "w.bin"})";
  CHECK(LoadFake(text.str()).consumers[0].params.At("model").ToJson() ==
        R"({"backbone":"small","head":"linear","weights":"w.bin"})");
}

TEST_CASE("the framework's parameters stand beside a stage's own") {
  GraphText text;
  text.files += R"(, "io_threads": 7, "sampler": {"shuffle": true}, "read_ahead_bytes": "1 MiB")";
  text.augment += R"(, "rng_key": "mine")";
  text.staging += R"(, "last_batch": "pad", "slots": 3)";
  text.after =
      R"("metrics": {"listen": "127.0.0.1:0"}, "run": {"stall_timeout": "2 min", "keep": 5})";
  const ValidatedGraph graph = LoadFake(text.str());
  const Chain& chain = graph.chains.at(0);
  CHECK(chain.source_params.io_threads == 7);
  CHECK(chain.source_params.sampler.shuffle);
  CHECK(chain.source_params.sampler.world_size == 1);
  CHECK(chain.source_params.read_ahead_bytes.value == 1 << 20);
  CHECK(chain.staging_params.last_batch == "pad");
  CHECK(chain.staging_params.slots == 3);
  CHECK(graph.metrics.listen == "127.0.0.1:0");
  CHECK(graph.run.stall_timeout.seconds == 120);
  CHECK(graph.run.keep == 5);
  CHECK(chain.source.params.ToJson() == R"({"root":"/data","sets":[],"limit":0})");
  text.files += R"(, "sampler": {"shufle": true})";
  text.after = R"("metrics": {"listne": ""}, "run": {"keep": 0}, "stagse": {})";
  const auto faults = FaultsOf(text.str());
  CHECK(Has(faults, "/metrics/listne", "did you mean \"listen\"?"));
  CHECK(Has(faults, "/run/keep", "out of range"));
  CHECK(Has(faults, "/stagse", "did you mean \"stages\"?"));
}

}  // namespace flowtrain::config
