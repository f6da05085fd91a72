// Samples of a batch side by side in one picture, each with its mask's outline. A value; one
// thread.
#pragma once

#include <flowtrain/batch.h>

#include <cstdint>
#include <vector>

namespace flowtrain::monitor {

struct ContactSheet {
  int height = 0, width = 0;
  std::vector<uint8_t> rgb;  // dense
};

// The first samples of `images` ([rows, height, width, 3], uint8, host memory), `columns` in a row
// and at most `rows` rows of them; `masks` ([rows, height, width, 1], above 127 is foreground) may
// be null.
ContactSheet MakeContactSheet(const Tensor& images, const Tensor* masks, int filled, int columns,
                              int rows);

}  // namespace flowtrain::monitor
