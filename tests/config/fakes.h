// Declarations of stages that do nothing, and graphs of them, for the tests of config.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipeline/config/graph_config.h"

namespace flowtrain::config {

// data.files, data.tiles, data.rows, data.mix, data.chosen, image.decode, image.augment, image.flip, train.upload,
// train.mixup, train.net, monitor.null, monitor.preview.
Lookup FakeLookup();

using Variables = std::map<std::string, std::string>;

// Loads `text` as "g.json"; the environment is `variables` only.
ValidatedGraph LoadFake(const std::string& text, LoadOptions options = {},
                        const Variables& variables = {});

// The faults of loading it, each as "pointer: message"; empty where it loads.
std::vector<std::string> FaultsOf(const std::string& text, LoadOptions options = {},
                                  const Variables& variables = {});

// A graph that loads; the parts replace the stage's parameters ("\"root\": \"/data\"") and the
// edges.
struct GraphText {
  std::string top = R"("seed": 42,)";
  std::string files = R"("root": "/data")";
  std::string augment = R"("size": [352, 288])";
  std::string staging = R"("batch": 8)";
  std::string more_stages;
  std::string edges = R"("files -> decode -> augment -> staging -> net.train")";
  std::string net;
  std::string after;

  std::string str() const;
};

// Whether `faults` has one at `pointer` whose message holds `part`.
bool Has(const std::vector<std::string>& faults, const std::string& pointer,
         const std::string& part);

}  // namespace flowtrain::config
