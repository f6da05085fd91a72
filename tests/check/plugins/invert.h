// The stage that every plugin of this folder is a variation of: inverts the image in place.
#pragma once

#include <flowtrain/stage.h>

struct NoParams {};

inline void DeclareInvert(flowtrain::Declaration<NoParams>& d, const char* type) {
  d.Type(type, "Inverts the image.");
  d.Edits("image");
}

inline void Invert(flowtrain::Image& image) {
  for (int y = 0; y < image.height; ++y) {
    for (size_t x = 0; x < image.row_bytes(); ++x) image.row(y)[x] ^= 0xFF;
  }
}
