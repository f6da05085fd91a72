// What is wrong with samples and shards of a `data.webdataset`, gathered shard by shard and said at
// the end of Open. One thread.
#pragma once

#include <flowtrain/context.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "stages/data/counted_names.h"
#include "stages/data/shard_samples.h"

namespace flowtrain::data {

class ShardFindings {
 public:
  // Of one shard; a sample is named "shard.tar/folder/stem".
  void Add(const std::string& shard, const ShardSamples& found);
  // One line for a shard whose fault is not empty, of the first ten of them.
  void EndsEarly(const std::string& shard, const TarContents& contents, const std::string& cut_off,
                 OpenContext& context);

  // Refuses labels that are out of range and warns of the rest. `target`: "mask" or "label".
  void Say(const std::string& target, uint64_t classes, OpenContext& context) const;

  CountedNames no_integer, out_of_range;  // "shard.tar/a.cls holds \"cat\""
  CountedNames again;                     // samples with the name of an earlier one

 private:
  CountedNames without_image_, without_target_;
  std::array<CountedNames, kMemberKinds> no_file_;
  size_t ended_early_ = 0;
};

}  // namespace flowtrain::data
