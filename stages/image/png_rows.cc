#include "stages/image/png_rows.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace flowtrain::image {
namespace {

constexpr size_t kSignature = 8;     // bytes
constexpr size_t kAroundChunk = 12;  // length, type, checksum

uint32_t BigEndian(const uint8_t* at) {
  return static_cast<uint32_t>(at[0]) << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

struct Chunk {
  std::string_view type;
  size_t offset = 0, bytes = 0;  // of its data
  size_t end = 0;                // of the chunk
};

// The chunk at `at`, if it is whole and its checksum is right.
std::optional<Chunk> ChunkAt(std::span<const uint8_t> file, size_t at) {
  if (at > file.size() || file.size() - at < kAroundChunk) return {};
  const size_t bytes = BigEndian(file.data() + at);
  if (bytes > file.size() - at - kAroundChunk) return {};
  const uint8_t* type = file.data() + at + 4;
  if (libdeflate_crc32(0, type, 4 + bytes) != BigEndian(type + 4 + bytes)) return {};
  return Chunk{{reinterpret_cast<const char*>(type), 4}, at + 8, bytes, at + kAroundChunk + bytes};
}

uint8_t Paeth(int left, int up, int corner) {
  const int by_left = std::abs(up - corner), by_up = std::abs(left - corner);
  const int by_corner = std::abs(left + up - 2 * corner);
  if (by_left <= by_up && by_left <= by_corner) return static_cast<uint8_t>(left);
  return static_cast<uint8_t>(by_up <= by_corner ? up : corner);
}

// One row whose samples are a byte apart (PNG, 9.2). `up`: the row above, as it was made.
bool Unfilter(int filter, const uint8_t* from, const uint8_t* up, size_t bytes, uint8_t* to) {
  uint8_t left = 0, corner = 0;
  switch (filter) {
    case 0:
      std::memcpy(to, from, bytes);
      return true;
    case 1:
      for (size_t i = 0; i < bytes; ++i) to[i] = left = static_cast<uint8_t>(left + from[i]);
      return true;
    case 2:
      for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(up[i] + from[i]);
      return true;
    case 3:
      for (size_t i = 0; i < bytes; ++i)
        to[i] = left = static_cast<uint8_t>(from[i] + (left + up[i]) / 2);
      return true;
    case 4:
      for (size_t i = 0; i < bytes; ++i) {
        to[i] = left = static_cast<uint8_t>(from[i] + Paeth(left, up[i], corner));
        corner = up[i];
      }
      return true;
    default:
      return false;
  }
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* one) const { libdeflate_free_decompressor(one); }
};

}  // namespace

std::optional<PngData> FindPngData(std::span<const uint8_t> file, bool palette) {
  PngData data;
  bool has_palette = false, data_ended = false;
  for (size_t at = kSignature;;) {
    const std::optional<Chunk> chunk = ChunkAt(file, at);
    if (!chunk || (chunk->type == "IHDR") != (at == kSignature)) return {};
    if (chunk->type == "IEND") break;
    if (chunk->type == "IDAT") {
      if (data_ended) return {};
      if (data.chunks++ == 0) data.first_chunk = at;
      data.compressed_bytes += chunk->bytes;
    } else {
      data_ended = data.chunks > 0;
      has_palette |= chunk->type == "PLTE" && data.chunks == 0;
      const bool critical = (chunk->type[0] & 0x20) == 0;
      if (critical && chunk->type != "PLTE" && chunk->type != "IHDR") return {};
    }
    at = chunk->end;
  }
  if (data.chunks == 0 || (palette && !has_palette)) return {};
  return data;
}

size_t PngRowsScratch(const PngData& data, size_t row_bytes, size_t rows) {
  const size_t inflated = (row_bytes + 1) * rows;
  if (inflated / kDeflateRatio > data.compressed_bytes) return 0;
  return inflated + row_bytes + data.compressed_bytes;
}

bool ReadPngRows(std::span<const uint8_t> file, const PngData& data, std::span<uint8_t> scratch,
                 size_t row_bytes, size_t rows, uint8_t* out, size_t stride) {
  const size_t inflated_bytes = (row_bytes + 1) * rows;
  uint8_t* inflated = scratch.data();
  uint8_t* nothing = inflated + inflated_bytes;  // the row above the first one
  uint8_t* joined = nothing + row_bytes;
  const uint8_t* compressed = file.data() + data.first_chunk + 8;
  if (data.chunks > 1) {
    size_t filled = 0;
    for (size_t i = 0, at = data.first_chunk; i < data.chunks; ++i) {
      const size_t bytes = BigEndian(file.data() + at);
      std::memcpy(joined + filled, file.data() + at + 8, bytes);
      filled += bytes;
      at += kAroundChunk + bytes;
    }
    compressed = joined;
  }
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> zlib(
      libdeflate_alloc_decompressor());
  if (!zlib || libdeflate_zlib_decompress(zlib.get(), compressed, data.compressed_bytes, inflated,
                                          inflated_bytes, nullptr) != LIBDEFLATE_SUCCESS) {
    return false;
  }
  std::memset(nothing, 0, row_bytes);
  const uint8_t* up = nothing;
  for (size_t row = 0; row < rows; ++row, inflated += row_bytes + 1) {
    uint8_t* to = out + stride * row;
    if (!Unfilter(inflated[0], inflated + 1, up, row_bytes, to)) return false;
    up = to;
  }
  return true;
}

}  // namespace flowtrain::image
