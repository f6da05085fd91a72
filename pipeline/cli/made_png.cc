#include "pipeline/cli/made_png.h"

#include <algorithm>
#include <cstdint>

namespace flowtrain::cli {
namespace {

void AppendBig32(uint32_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

uint32_t Crc32(const std::string& bytes) {
  uint32_t crc = ~0u;
  for (const unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

void AppendChunk(const std::string& kind, const std::string& data, std::string& out) {
  AppendBig32(static_cast<uint32_t>(data.size()), out);
  out += kind + data;
  AppendBig32(Crc32(kind + data), out);
}

// zlib's format with stored blocks only (RFC 1950, 1951).
std::string Stored(const std::string& data) {
  constexpr size_t kBlock = 65535;
  std::string out = "\x78\x01";
  uint32_t a = 1, b = 0;
  for (const unsigned char byte : data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  for (size_t from = 0; from < data.size(); from += kBlock) {
    const size_t size = std::min(kBlock, data.size() - from);
    out += from + size == data.size() ? '\1' : '\0';
    for (const size_t part : {size, ~size}) {
      out += static_cast<char>(part);
      out += static_cast<char>(part >> 8);
    }
    out.append(data, from, size);
  }
  AppendBig32(b << 16 | a, out);
  return out;
}

}  // namespace

std::string Png(int height, int width, int channels, const std::string& pixels) {
  const size_t row = static_cast<size_t>(width) * channels;
  std::string rows;
  for (int y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    rows.append(pixels, row * y, row);
  }
  std::string header, png = "\x89PNG\r\n\x1a\n";
  AppendBig32(static_cast<uint32_t>(width), header);
  AppendBig32(static_cast<uint32_t>(height), header);
  header += {8, static_cast<char>(channels == 3 ? 2 : 0), 0, 0, 0};
  AppendChunk("IHDR", header, png);
  AppendChunk("IDAT", Stored(rows), png);
  AppendChunk("IEND", "", png);
  return png;
}

}  // namespace flowtrain::cli
