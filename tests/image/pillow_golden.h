// What Pillow's bilinear resize (antialiased, its default) makes of Noise(height, width, 3, 5).
#pragma once

#include <string>
#include <vector>

namespace flowtrain::testing {

struct Golden {
  int width, height, to_width, to_height;
  std::string hex;  // RGB rows
};

const std::vector<Golden>& PillowGolden();

}  // namespace flowtrain::testing
