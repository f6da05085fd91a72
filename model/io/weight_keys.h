// How files spell a network's entries: timm's EdgeNeXt as the whole network (stem.0, stages.1,
// head) or as a feature extractor (stem_0, stages_1), alone or as another network's part
// `backbone`, and with the `module.` that data parallel puts in front. The one place that knows.
// Pure; free of LibTorch.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace flowtrain::model {

struct SpelledKeys {
  // A file's name -> the module's for it, or the same again where the module has no such entry.
  std::map<std::string, std::string> own;
  // Of the file, and rightly not wanted: the classifier of a published backbone, and where the
  // module is a backbone, what stands beside it in a whole network's file.
  std::vector<std::string> left_out;
};

// own: the names of a module's entries; given: a file's. Throws std::runtime_error naming both
// where two of a file's names are one entry.
SpelledKeys SpellAs(const std::vector<std::string>& own, const std::vector<std::string>& given);

}  // namespace flowtrain::model
