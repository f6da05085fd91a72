#include "stages/image/exif.h"

#include <cstring>

namespace flowtrain::image {
namespace {

constexpr size_t kPrefix = 6;  // "Exif\0\0"
constexpr uint16_t kOrientationTag = 0x0112;
constexpr uint16_t kShort = 3;
constexpr size_t kEntryBytes = 12;

// Big- or little-endian integers of a TIFF block, 0 beyond its end.
class Tiff {
 public:
  Tiff(std::span<const uint8_t> bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}
  uint16_t U16(size_t at) const { return static_cast<uint16_t>(Read(at, 2)); }
  uint32_t U32(size_t at) const { return Read(at, 4); }

 private:
  uint32_t Read(size_t at, size_t n) const {
    if (at > bytes_.size() || bytes_.size() - at < n) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < n; ++i) value = value << 8 | bytes_[at + (big_endian_ ? i : n - 1 - i)];
    return value;
  }
  std::span<const uint8_t> bytes_;
  bool big_endian_;
};

}  // namespace

Orientation ExifOrientation(std::span<const uint8_t> app1) {
  if (app1.size() < kPrefix + 8 || std::memcmp(app1.data(), "Exif\0", kPrefix) != 0) return {};
  const std::span<const uint8_t> block = app1.subspan(kPrefix);
  const bool big_endian = block[0] == 'M' && block[1] == 'M';
  if (!big_endian && !(block[0] == 'I' && block[1] == 'I')) return {};
  const Tiff tiff(block, big_endian);
  if (tiff.U16(2) != 42) return {};
  const size_t directory = tiff.U32(4);
  const uint16_t entries = tiff.U16(directory);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    if (entry >= block.size()) break;
    if (tiff.U16(entry) != kOrientationTag) continue;
    if (tiff.U16(entry + 2) != kShort || tiff.U32(entry + 4) != 1) break;
    return Orientation::FromExif(tiff.U16(entry + 8));
  }
  return {};
}

}  // namespace flowtrain::image
