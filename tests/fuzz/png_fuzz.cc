// A hostile PNG, PPM or PGM: it is refused by BadSample with its path, or gives pixels; and the
// quick way to the rows of a mask gives those that libspng gives.
#include <algorithm>
#include <cstring>

#include "fuzz/image_fuzz.h"
#include "stages/image/encoded_format.h"
#include "stages/image/png_decode.h"
#include "stages/image/png_rows.h"
#include "stages/image/pnm_decode.h"

namespace flowtrain::image {
namespace {

void ReadPng(const EncodedPicture& picture, const DecodePolicy& policy, const Wanted& wanted) {
  FuzzMemory memory;
  int levels = 0;
  PngReader mask(picture, policy);
  CheckPixels(
      mask.ReadLevels([&](size_t bytes) { return memory.Bytes(bytes); }, memory.Pixels(1), levels));
  FUZZ_REQUIRE(levels >= 1 && levels <= 255);
  PngReader image(picture, policy);
  CheckPixels(image.ReadRgb(wanted, memory.Pixels(3)));
}

// Rows that the quick way gives are gray levels that libspng gives too.
void CompareRows(const EncodedPicture& picture, const DecodePolicy& policy) {
  const std::span<const uint8_t> file = picture.bytes;
  const auto data = FindPngData(file, false);
  PngReader reader(picture, policy);
  if (!data || reader.depth() != 8 || file[25] != 0 || file[28] != 0) return;
  const auto width = static_cast<size_t>(reader.width()),
             height = static_cast<size_t>(reader.height());
  std::vector<uint8_t> scratch(PngRowsScratch(*data, width, height)), rows(width * height);
  if (scratch.empty() || !ReadPngRows(file, *data, scratch, width, height, rows.data(), width)) {
    return;
  }
  FuzzMemory memory;
  Image rgb;
  try {
    rgb = reader.ReadRgb({}, memory.Pixels(3));
  } catch (const BadSample&) {
    return;  // of another chunk, which says nothing about the rows
  }
  for (size_t i = 0; i < rows.size(); ++i) FUZZ_REQUIRE(rgb.data[3 * i] == rows[i]);
}

void ReadPnm(const EncodedPicture& picture, const DecodePolicy& policy, const Wanted& wanted) {
  FuzzMemory memory;
  int levels = 0;
  const PnmReader reader(picture, policy);
  CheckPixels(reader.ReadRgb(wanted, memory.Pixels(3)));
  CheckPixels(reader.ReadLevels(memory.Pixels(1), levels));
  FUZZ_REQUIRE(levels >= 1 && levels <= 255);
}

}  // namespace
}  // namespace flowtrain::image

// The first four bytes say which part is wanted, the rest is the picture.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowtrain::image;
  if (size < 4) return 0;
  const Wanted wanted = WantedPart(data);
  const std::span<const uint8_t> bytes(data + 4, size - 4);
  for (const bool tolerate : {false, true}) {
    Try(bytes, tolerate, [&](const EncodedPicture& picture, const DecodePolicy& policy) {
      switch (SniffFormat(bytes)) {
        case EncodedFormat::kPng:
          ReadPng(picture, policy, wanted);
          return CompareRows(picture, policy);
        case EncodedFormat::kPnm:
          return ReadPnm(picture, policy, wanted);
        default:
          FUZZ_REQUIRE(FormatName(bytes) != nullptr);
      }
    });
  }
  return 0;
}
