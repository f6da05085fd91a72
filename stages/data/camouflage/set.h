// The files of `builtin:camouflage`: made once in the user's cache folder, in COD10K's layout.
#pragma once

#include <flowtrain/context.h>

#include <cstdint>
#include <filesystem>

#include "stages/data/camouflage/generate.h"

namespace flowtrain::data::camouflage {

inline constexpr const char* kRoot = "builtin:camouflage";

struct SetSize {
  uint64_t train = kTrainCount, val = kValCount;
};

// <cache_dir>/camouflage-v1 with {Train,Val}/{Image/*.jpg, GT_Object/*.png}, as EnsureMade has it.
std::filesystem::path EnsureSet(OpenContext& context, const SetSize& size = {});

}  // namespace flowtrain::data::camouflage
