// A PNG file of given pixels, not compressed: something to decode, without an image library. Pure
// function.
#pragma once

#include <string>

namespace flowtrain::cli {

// `pixels`: height x width x channels bytes; 1 channel (gray) or 3 (RGB).
std::string Png(int height, int width, int channels, const std::string& pixels);

}  // namespace flowtrain::cli
