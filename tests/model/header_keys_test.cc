// How names of entries are spelled in files, and what a module makes of them.
#include <doctest/doctest.h>

#include "model/header_refusal.h"
#include "model/io/weight_keys.h"

namespace flowtrain::model::test {
namespace {

using Names = std::vector<std::string>;

// What one of a file's names becomes, beside a module that has these.
std::string One(const Names& own, const std::string& given) {
  const SpelledKeys spelled = SpellAs(own, {given});
  return spelled.left_out.empty() ? spelled.own.at(given) : "left out";
}

TEST_CASE("every spelling of a backbone's entry is found, whatever the module's own is") {
  for (const std::string rest : {"stem?0.weight", "stem?1.bias", "stages?0.blocks.2.gamma",
                                 "stages?3.downsample.0.weight"}) {
    Names spellings;
    for (const char* prefix : {"", "backbone.", "module.", "module.backbone."})
      for (const char mark : {'.', '_'})
        spellings.push_back(prefix + std::string(rest).replace(rest.find('?'), 1, 1, mark));
    for (const std::string& own : spellings)
      for (const std::string& given : spellings) {
        CAPTURE(own);
        CHECK(One({own}, given) == own);
      }
  }
}

TEST_CASE("only numbered parts at the front are respelled") {
  for (const std::string other :
       {"stem_.weight", "stem_x.weight", "stem_0", "stem_0_1.weight", "mystem_0.weight",
        "blocks.stem_0.weight", "stages.blocks_1.weight", "stages-1.weight"}) {
    CAPTURE(other);
    std::string dotted = other;
    if (const size_t mark = other.find('_'); mark != other.npos) dotted[mark] = '.';
    CHECK(One({dotted}, other) == other);
  }
  CHECK(One({"stages.12.gamma"}, "stages_12.gamma") == "stages.12.gamma");
}

TEST_CASE("names of other networks pass as they are, without data parallel's prefix") {
  CHECK(One({"layer1.0.conv1.weight"}, "module.layer1.0.conv1.weight") == "layer1.0.conv1.weight");
  CHECK(One({"layer1.0.conv1.weight"}, "module.module.layer1.0.conv1.weight") ==
        "layer1.0.conv1.weight");
  CHECK(One({"fc.bias"}, "module.other") == "module.other");
  CHECK(One({"module.fc.bias"}, "fc.bias") == "module.fc.bias");
}

TEST_CASE("a published classifier's head is left out by a backbone, and wanted by a classifier") {
  for (const char* head :
       {"head.fc.weight", "head.norm.bias", "backbone.head.fc.bias", "module.head.fc.bias"}) {
    CHECK(One({"stem_0.weight"}, head) == "left out");
    CHECK(One({"backbone.stem_0.weight", "final_conv.0.weight"}, head) == "left out");
    CHECK(One({"stem.0.weight", "head.fc.weight"}, head) != "left out");
  }
  CHECK(One({"stem.0.weight", "head.fc.weight"}, "module.head.fc.weight") == "head.fc.weight");
  // Another network's head is no more expected than any other entry.
  CHECK(One({"conv1.weight"}, "head.fc.weight") == "head.fc.weight");
}

TEST_CASE("a backbone takes its part of a whole network's file and leaves out the rest") {
  const SpelledKeys spelled = SpellAs(
      {"stem_0.weight"}, {"backbone.stem_0.weight", "backbone.new", "moe_layers.0.gate.1.weight"});
  CHECK(spelled.own ==
        std::map<std::string, std::string>{{"backbone.stem_0.weight", "stem_0.weight"},
                                           {"backbone.new", "backbone.new"}});
  CHECK(spelled.left_out == Names{"moe_layers.0.gate.1.weight"});
  CHECK(One({"stem_0.weight"}, "moe_layers.0.gate.1.weight") == "moe_layers.0.gate.1.weight");
}

TEST_CASE("two names of a file for one entry are refused") {
  CHECK(RefusalOf([] {
          SpellAs({"stem_0.weight"}, {"stem.0.weight", "stem_0.weight"});
        }) == "'stem.0.weight' and 'stem_0.weight' are both the entry 'stem_0.weight'");
  CHECK(RefusalOf([] {
          SpellAs({"fc.bias"}, {"fc.bias", "module.fc.bias"});
        }) == "'fc.bias' and 'module.fc.bias' are both the entry 'fc.bias'");
}

}  // namespace
}  // namespace flowtrain::model::test
