// A temporary folder with small files, and a source opened on it.
#pragma once

#include <flowtrain/stage.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stages/data/segmentation.h"
#include "support/scratch_folder.h"
#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/made_stage.h>

namespace flowtrain::data_test {

class TempTree {
 public:
  const std::filesystem::path& root() const { return folder_.path(); }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return folder_ / name; }
  // A file whose content is its stem's, so that a pair can be told by what was read.
  void File(const std::filesystem::path& name) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << name.stem().native();
  }
  void Pairs(const std::filesystem::path& images, const std::filesystem::path& masks,
             const std::vector<std::string>& stems) const {
    for (const std::string& stem : stems) {
      File(images / (stem + ".jpg"));
      File(masks / (stem + ".png"));
    }
  }

 private:
  const ScratchFolder folder_;
};

inline std::string Content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A source that was opened, and what it said.
struct OpenedSource {
  testing::TestOpenContext context;
  std::unique_ptr<Source> source;

  OpenedSource(const StageDeclaration& declaration, const Value& params, uint64_t seed,
               const std::filesystem::path& cache) {
    context.seed_value = seed;
    context.cache = cache;
    source = testing::Make<Source>(declaration, params, context);
  }

  Sample Read(uint64_t index) const {
    Sample sample;
    testing::TestReadContext reader;
    source->Read(index, sample, reader);
    return sample;
  }
  static std::string Text(const Sample& sample, const char* name) {
    const Buffer& buffer = sample.encoded(name);
    return std::string(reinterpret_cast<const char*>(buffer.data.get()), buffer.size);
  }
  // "image > label" or "image > mask" of each sample, in order, as read.
  std::vector<std::string> Targets() const {
    std::vector<std::string> targets;
    for (uint64_t i = 0; i < source->Size(); ++i) {
      const Sample sample = Read(i);
      targets.push_back(Text(sample, "image") + " > " +
                        (sample.has_label("label") ? std::to_string(sample.label("label"))
                                                   : Text(sample, "mask")));
    }
    return targets;
  }
  bool Said(const std::vector<std::string>& messages, const std::string& part) const {
    return std::any_of(messages.begin(), messages.end(),
                       [&](const std::string& m) { return m.find(part) != std::string::npos; });
  }
  bool Warned(const std::string& part) const { return Said(context.warnings, part); }
  bool Informed(const std::string& part) const { return Said(context.infos, part); }
};

// A `data.segmentation`.
struct Opened : OpenedSource {
  explicit Opened(const Value& params, uint64_t seed = 42, const std::filesystem::path& cache = {})
      : OpenedSource(testing::DeclarationOf<data::Segmentation>(), params, seed, cache) {}

  // The stems, in order, as read from both files of each pair.
  std::vector<std::string> Stems() const {
    std::vector<std::string> stems;
    for (uint64_t i = 0; i < source->Size(); ++i) {
      const Sample sample = Read(i);
      const std::string image = Text(sample, "image");
      stems.push_back(image == Text(sample, "mask") ? image : "image and mask differ");
    }
    return stems;
  }
};

inline Value Params(const std::filesystem::path& root, const std::string& split) {
  Value params{Value::Object{}};
  params.Set("root", root.native());
  params.Set("split", split);
  return params;
}

// With the whole of Train in train.
inline Value Whole(const std::filesystem::path& root, const std::string& split = "train") {
  Value params = Params(root, split);
  params.Set("val_share", 0.0);
  return params;
}

// "parameter: reason" of the refusal; empty where there was none.
template <class OpenedAs = Opened>
std::string Refusal(const Value& params) {
  try {
    OpenedAs opened(params);
  } catch (const testing::Refused& refused) {
    return refused.parameter() + ": " + refused.what();
  }
  return "";
}

inline bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace flowtrain::data_test
