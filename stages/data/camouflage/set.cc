#include "stages/data/camouflage/set.h"

#include <cstdio>
#include <string>
#include <vector>

#include "stages/data/builtin/encode.h"
#include "stages/data/builtin/made_set.h"

namespace flowtrain::data::camouflage {
namespace {

namespace fs = std::filesystem;

constexpr int kJpegQuality = 92;

// The i-th example: training ones first.
uint64_t SeedOf(uint64_t i, const SetSize& size) {
  return i < size.train ? i : kValSeed + i - size.train;
}

// Of its image and its mask.
std::vector<fs::path> PathsOf(uint64_t i, const SetSize& size) {
  char stem[32];
  std::snprintf(stem, sizeof stem, "camouflage-%06llu",
                static_cast<unsigned long long>(SeedOf(i, size)));
  const fs::path half = i < size.train ? "Train" : "Val";
  return {half / "Image" / (std::string(stem) + ".jpg"),
          half / "GT_Object" / (std::string(stem) + ".png")};
}

}  // namespace

fs::path EnsureSet(OpenContext& context, const SetSize& size) {
  const auto make = [&](uint64_t i) -> std::vector<builtin::MadeFile> {
    const Example example = Generate(SeedOf(i, size));
    const std::vector<fs::path> paths = PathsOf(i, size);
    return {{paths[0], builtin::EncodeJpeg(example.rgb, kSize, kSize, kJpegQuality)},
            {paths[1], builtin::EncodePng(example.mask, kSize, kSize, 1)}};
  };
  return builtin::EnsureMade({.root = kRoot,
                     .folder = "camouflage-v1",
                     .examples = size.train + size.val,
                     .paths = [&](uint64_t i) { return PathsOf(i, size); },
                     .make = make},
                    context);
}

}  // namespace flowtrain::data::camouflage
