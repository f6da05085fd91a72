// Writes an RGB picture as a PNG file. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace flowtrain::monitor {

// `rgb`: height x width x 3 bytes, dense. The file is complete or not there: it is written beside
// its place and renamed. Throws Error, naming the path.
void WritePng(const std::filesystem::path& path, int height, int width,
              std::span<const uint8_t> rgb);

}  // namespace flowtrain::monitor
