// One example of the built-in set `builtin:camouflage`: a picture of a streaky texture in which an
// object of the same colours, brightness and contrast lies, told apart by nothing but the direction
// of its streaks. A pure function of the seed; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace flowtrain::data::camouflage {

inline constexpr int kSize = 192;             // pixels, either way
inline constexpr uint64_t kTrainCount = 384;  // seeds 0, 1, ...
inline constexpr uint64_t kValCount = 64;     // seeds kValSeed, kValSeed + 1, ...
inline constexpr uint64_t kValSeed = 100000;

struct Example {
  std::vector<uint8_t> rgb;   // kSize x kSize x 3, interleaved
  std::vector<uint8_t> mask;  // kSize x kSize: 255 where the object is, else 0
};

Example Generate(uint64_t seed);

// Generate(seed).mask alone, in a tenth of the time.
std::vector<uint8_t> GenerateMask(uint64_t seed);

}  // namespace flowtrain::data::camouflage
