// The files of `builtin:classes`: made once in the user's cache folder, in ImageNet's layout.
#pragma once

#include <flowtrain/context.h>

#include <cstdint>
#include <filesystem>

#include "stages/data/classes/picture.h"

namespace flowtrain::data::classes {

inline constexpr const char* kRoot = "builtin:classes";
inline constexpr int kJpegQuality = 75;

struct SetSize {
  uint32_t classes = kClassCount;
  uint64_t train = 4, val = 1;  // pictures of each class
};

// <cache_dir>/classes-v1 with {train,val}/<class>/<class>_<number>.JPEG, as EnsureMade has it.
// Numbers of val begin where those of train end.
std::filesystem::path EnsureSet(OpenContext& context, const SetSize& size = {});

}  // namespace flowtrain::data::classes
