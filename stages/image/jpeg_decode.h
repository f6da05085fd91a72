// JPEG -> pixels: only the part that is wanted, at the smallest DCT scale that covers it. One
// thread.
#pragma once

#include "stages/image/jpeg_reader.h"

namespace flowtrain::image {

// RGB (3 channels) or luminance (1), as `memory` gives. Image::covers says what came: where
// `wanted` is a part, exactly the pixels of it (the same ones that a full decode at that scale
// has). Throws BadSample.
Image DecodeJpeg(JpegReader& reader, const EncodedPicture& picture, const DecodePolicy& policy,
                 const Wanted& wanted, int channels, const PixelMemory& memory);

}  // namespace flowtrain::image
