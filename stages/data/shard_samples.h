// Members of a tar file put together to samples, by WebDataset's rule: consecutive ones whose names
// are equal up to the first dot of their last part. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/counted_names.h"
#include "stages/data/tar_members.h"

namespace flowtrain::data {

struct MemberName {
  std::string_view stem;       // with its folders
  std::string_view extension;  // behind the dot; may hold dots
};
// Both are empty for a name without a stem or an extension, which is of no sample.
MemberName SplitMember(std::string_view name);

// Extensions, the one to be preferred first; in any case.
struct ShardRoles {
  std::vector<std::string> image, target;
};

struct ShardSample {
  uint32_t image = 0, target = 0;  // indices of members
};

struct ShardSamples {
  std::vector<ShardSample> samples;
  CountedNames without_image, without_target;  // stems
};

// What is neither an image nor a target is passed over, and stems that have neither aren't told.
ShardSamples SamplesOf(const std::vector<TarMember>& members, const ShardRoles& roles);

}  // namespace flowtrain::data
