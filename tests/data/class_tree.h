// A `data.classification` opened on a temporary folder.
#pragma once

#include "data/temp_tree.h"
#include "stages/data/classification.h"

namespace flowtrain::data_test {

struct OpenedClasses : OpenedSource {
  explicit OpenedClasses(const Value& params, uint64_t seed = 42,
                         const std::filesystem::path& cache = {})
      : OpenedSource(testing::DeclarationOf<data::Classification>(), params, seed, cache) {}

  // "label stem", in order, as read.
  std::vector<std::string> All() const {
    std::vector<std::string> all;
    for (uint64_t i = 0; i < source->Size(); ++i) {
      const Sample sample = Read(i);
      all.push_back(std::to_string(sample.label("label")) + " " + Text(sample, "image"));
    }
    return all;
  }
};

// Files <folder>/<class>/<class>_<n>.JPEG.
inline void Classes(const TempTree& tree, const std::filesystem::path& folder,
                    const std::vector<std::string>& classes, int files) {
  for (const std::string& name : classes) {
    for (int i = 0; i < files; ++i) {
      tree.File(folder / name / (name + "_" + std::to_string(i) + ".JPEG"));
    }
  }
}

inline std::string ClassesRefusal(const Value& params) { return Refusal<OpenedClasses>(params); }

}  // namespace flowtrain::data_test
