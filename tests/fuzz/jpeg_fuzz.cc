// A hostile JPEG: it is refused by BadSample with its path, or gives pixels, the same ones where
// only a part is asked for.
#include <algorithm>

#include "fuzz/image_fuzz.h"
#include "stages/image/jpeg_decode.h"

namespace flowtrain::image {
namespace {

Image Read(const EncodedPicture& picture, const DecodePolicy& policy, const Wanted& wanted,
           int channels, FuzzMemory& memory) {
  JpegReader reader(picture, policy);
  (void)reader.orientation();
  const Image image =
      DecodeJpeg(reader, picture, policy, wanted, channels, memory.Pixels(channels));
  CheckPixels(image);
  return image;
}

void ReadParts(const EncodedPicture& picture, const DecodePolicy& policy, const Wanted& wanted) {
  FuzzMemory memory;
  Read(picture, policy, {}, 1, memory);
  Read(picture, policy, wanted, 3, memory);
}

}  // namespace
}  // namespace flowtrain::image

// The first four bytes say what is wanted of the picture, the rest is the picture.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowtrain::image;
  if (size < 4) return 0;
  Wanted wanted = WantedPart(data);
  wanted.width = 1 + data[2] % 64;
  wanted.height = 1 + data[3] % 64;
  const std::span<const uint8_t> bytes(data + 4, size - 4);
  for (const bool tolerate : {false, true}) {
    Try(bytes, tolerate, [&](const EncodedPicture& picture, const DecodePolicy& policy) {
      ReadParts(picture, policy, wanted);
    });
  }
  return 0;
}
