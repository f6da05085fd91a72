// What the member that holds a sample's label says. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "stages/data/tar_members.h"

namespace flowtrain::data {

struct ShardLabel {
  int64_t value = 0;
  enum class Fault : uint8_t { kNone, kNoInteger, kOutOfRange } fault = Fault::kNone;
  std::string found;  // where it is at fault: what stands there, fit for a log
};

// A decimal integer from 0 to 2^31 - 1, below `classes` where that is not 0, with blanks and line
// ends around it or not.
ShardLabel LabelOf(const TarMember& member, uint64_t classes);

}  // namespace flowtrain::data
