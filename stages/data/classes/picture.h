// One picture of the built-in set `builtin:classes`: a pattern of one colour on a ground of
// another. The three make its class, and can still be told in a part of the picture, turned or
// scaled. Where the pattern lies, its scale, shades, light and the picture's size differ from
// picture to picture. A pure function of class and number; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flowtrain::data::classes {

inline constexpr uint32_t kClassCount = 120;  // 5 patterns, 6 colours, 4 grounds

struct Picture {
  int width = 0, height = 0;  // 220 to 340 and 170 to 240, one in four upright
  std::vector<uint8_t> rgb;   // height x width x 3, interleaved
};

// "checks-blue-on-black": the names sort as the classes are numbered, 0 to kClassCount - 1.
std::string ClassName(uint32_t of_class);

Picture Draw(uint32_t of_class, uint64_t number);

}  // namespace flowtrain::data::classes
