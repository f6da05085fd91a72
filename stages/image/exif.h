// The orientation tag of a JPEG's EXIF block. Any thread.
#pragma once

#include <cstdint>
#include <span>

#include "stages/image/orientation.h"

namespace flowtrain::image {

// `app1`: the payload of an APP1 marker ("Exif\0\0", then TIFF). Anything unreadable or out of
// range means "as stored": a broken EXIF block never costs the picture.
Orientation ExifOrientation(std::span<const uint8_t> app1);

}  // namespace flowtrain::image
