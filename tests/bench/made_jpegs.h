// JPEG files to decode: made ones (500 x 375, 4:2:0, a texture with noise: what a photograph costs) and,
// where FLOWTRAIN_TEST_DATA is set, photographs. In memory, so that no disk is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flowtrain::bench {

using File = std::vector<uint8_t>;

std::vector<File> MadeJpegs(int count);
// Every *.jpg below the folder, at most `most` of them; empty: there is none.
std::vector<File> JpegsOf(const std::string& folder, size_t most);

}  // namespace flowtrain::bench
