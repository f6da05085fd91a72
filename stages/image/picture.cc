#include "stages/image/picture.h"

#include <flowtrain/error.h>

namespace flowtrain::image {

void CheckPixels(const EncodedPicture& picture, uint64_t width, uint64_t height,
                 const DecodePolicy& policy) {
  if (width * height <= policy.max_pixels) return;
  throw BadSample(reason::kTooLarge, picture.path + ": " + std::to_string(width) + " x " +
                                         std::to_string(height) + " pixels; max_pixels allows " +
                                         std::to_string(policy.max_pixels));
}

}  // namespace flowtrain::image
