// The files of `builtin:camouflage`: made once in the user's cache folder, in COD10K's layout.
#pragma once

#include <flowtrain/context.h>

#include <cstdint>
#include <filesystem>

#include "stages/data/camouflage/generate.h"

namespace flowtrain::data::camouflage {

struct SetSize {
  uint64_t train = kTrainCount, val = kValCount;
};

// <cache_dir>/camouflage-v1 with {Train,Val}/{Image/*.jpg, GT_Object/*.png}. Made beside, synced
// and renamed, so that it is whole or absent; one process makes it while others wait. Reports
// progress and passes on Cancelled, leaving nothing half-made. Throws Error where it can't be
// written.
std::filesystem::path EnsureSet(OpenContext& context, const SetSize& size = {});

}  // namespace flowtrain::data::camouflage
