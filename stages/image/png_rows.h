// The rows of a PNG of one channel (gray or palette) of up to 8 bits, not interlaced: what nearly
// all masks are. Inflated at once by libdeflate, which takes a third of the time that a stream of
// zlib's takes. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace flowtrain::image {

// Where the compressed rows are: one piece a data chunk.
struct PngData {
  size_t compressed_bytes = 0;
  size_t first_chunk = 0;  // its offset in the file
  size_t chunks = 0;
};

// Nothing where a chunk is out of place or has another checksum, or the file ends early. `palette`:
// there must be one.
std::optional<PngData> FindPngData(std::span<const uint8_t> file, bool palette);

// What one byte of a deflate stream can become at most (RFC 1951: 258 bytes of 2 bits).
inline constexpr size_t kDeflateRatio = 1032;

// What ReadPngRows needs of scratch; 0: so many bytes can't come from so little data.
size_t PngRowsScratch(const PngData& data, size_t row_bytes, size_t rows);

// Writes the rows, `stride` apart. False where the data is faulty: `out` then holds anything.
bool ReadPngRows(std::span<const uint8_t> file, const PngData& data, std::span<uint8_t> scratch,
                 size_t row_bytes, size_t rows, uint8_t* out, size_t stride);

}  // namespace flowtrain::image
