// Members of a tar file put together to samples, by WebDataset's rule: those whose names are equal
// up to the first dot of their last part. They need not be consecutive, as there: an index reaches
// all. Pure functions.
#pragma once

#include <array>
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
  std::vector<ShardSample> samples;            // in the order of their first members
  CountedNames without_image, without_target;  // stems
  // Names of members, by kind, that would be the image or the target if they were files; their
  // samples are left out for that.
  std::array<CountedNames, kMemberKinds> no_file;
  std::string cut_off;  // the stem of the sample that the shard's end cut off; empty: none
};

// What is neither an image nor a target is passed over, and stems that have neither aren't told. A
// name that comes again begins another sample with its stem: what follows is of the later one.
// `ends_early`: the last sample may be a part only.
ShardSamples SamplesOf(const std::vector<TarMember>& members, const ShardRoles& roles,
                       bool ends_early = false);

}  // namespace flowtrain::data
