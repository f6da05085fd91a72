#include "stages/image/encoded_format.h"

#include <cstring>
#include <string_view>

namespace flowtrain::image {
namespace {

struct Magic {
  const char* name;
  size_t offset;
  std::string_view bytes;
};

constexpr std::string_view kJpegMagic = "\xFF\xD8\xFF";
constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1A\n";
constexpr Magic kOthers[] = {
    {"BMP", 0, "BM"},
    {"GIF", 0, "GIF8"},
    {"WebP", 8, "WEBP"},
    {"TIFF", 0, {"II*\0", 4}},
    {"TIFF", 0, {"MM\0*", 4}},
    {"AVIF", 4, "ftypavif"},
    {"HEIF", 4, "ftypheic"},
    {"JPEG XL", 0, "\xFF\x0A"},
    {"JPEG 2000", 4, "jP  "},
    {"PBM or plain PGM/PPM", 0, "P1"},
    {"PBM or plain PGM/PPM", 0, "P2"},
    {"PBM or plain PGM/PPM", 0, "P3"},
    {"PBM or plain PGM/PPM", 0, "P4"},
};

bool Holds(std::span<const uint8_t> bytes, size_t offset, std::string_view magic) {
  return bytes.size() >= offset + magic.size() &&
         std::memcmp(bytes.data() + offset, magic.data(), magic.size()) == 0;
}

}  // namespace

EncodedFormat SniffFormat(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return EncodedFormat::kEmpty;
  if (Holds(bytes, 0, kJpegMagic)) return EncodedFormat::kJpeg;
  if (Holds(bytes, 0, kPngMagic)) return EncodedFormat::kPng;
  if (Holds(bytes, 0, "P5") || Holds(bytes, 0, "P6")) return EncodedFormat::kPnm;
  return EncodedFormat::kOther;
}

const char* FormatName(std::span<const uint8_t> bytes) {
  switch (SniffFormat(bytes)) {
    case EncodedFormat::kEmpty:
      return "empty";
    case EncodedFormat::kJpeg:
      return "JPEG";
    case EncodedFormat::kPng:
      return "PNG";
    case EncodedFormat::kPnm:
      return "PPM or PGM";
    case EncodedFormat::kOther:
      break;
  }
  for (const Magic& magic : kOthers) {
    if (Holds(bytes, magic.offset, magic.bytes)) return magic.name;
  }
  return "no known image format";
}

}  // namespace flowtrain::image
