// A `data.list` opened on a temporary folder.
#pragma once

#include <doctest/doctest.h>

#include "data/temp_tree.h"
#include "stages/data/list.h"

namespace flowtrain::data_test {

struct OpenedList : OpenedSource {
  explicit OpenedList(const Value& params, uint64_t seed = 42)
      : OpenedSource(testing::DeclarationOf<data::List>(), params, seed, {}) {}
};

// A folder with images a.jpg to d.jpg, masks and lists.
struct ListTree : TempTree {
  ListTree() { Pairs("images", "masks", {"a", "b", "c", "d"}); }
  void Write(const std::filesystem::path& name, const std::string& content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
  }
};

inline Value Targets(const std::filesystem::path& file, const char* target) {
  Value params{Value::Object{}};
  params.Set("file", file.native());
  params.Set("target", target);
  return params;
}
inline Value Labels(const std::filesystem::path& file) { return Targets(file, "label"); }
inline Value Masks(const std::filesystem::path& file) { return Targets(file, "mask"); }

inline std::string ListRefusal(const Value& params) { return Refusal<OpenedList>(params); }

}  // namespace flowtrain::data_test
