// How long a graph's name may be. For the checker and the schema.
#pragma once

#include <cstddef>

namespace flowtrain::config {

// A run's folder is named after its graph, with its moment and number, and a file's name has 255 bytes.
inline constexpr size_t kLongestGraphName = 200;

}  // namespace flowtrain::config
