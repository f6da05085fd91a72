// Pixels to file bytes. Any thread; throws Error where the library fails (out of memory).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flowtrain::data::builtin {

// `rgb`: height x width x 3; quality 1 to 100, chroma at half the size.
std::vector<uint8_t> EncodeJpeg(std::span<const uint8_t> rgb, int width, int height, int quality);
// `pixels`: height x width x channels, 8 bits; channels 1 (gray) or 3 (RGB).
std::vector<uint8_t> EncodePng(std::span<const uint8_t> pixels, int width, int height,
                               int channels);

}  // namespace flowtrain::data::builtin
