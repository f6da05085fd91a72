// PNG -> pixels, through libspng; the rows of most masks through libdeflate (png_rows.h). One
// picture, one thread.
#pragma once

#include <spng.h>

#include <memory>
#include <optional>

#include "stages/image/picture.h"
#include "stages/image/png_rows.h"

namespace flowtrain::image {

class PngReader {
 public:
  // Reads the header. Throws BadSample: every message has the picture's path.
  PngReader(const EncodedPicture& picture, const DecodePolicy& policy);

  int width() const { return static_cast<int>(header_.width); }
  int height() const { return static_cast<int>(header_.height); }
  bool palette() const { return header_.color_type == SPNG_COLOR_TYPE_INDEXED; }
  int depth() const { return header_.bit_depth; }

  // RGB, 8 bit: palettes expanded, alpha dropped, 16 bits cut to the upper 8. Only the wanted part.
  Image ReadRgb(const Wanted& wanted, const PixelMemory& memory);
  // The first channel of the whole picture as it is stored: palette indices, unscaled levels. Of 16
  // bits the upper 8, unless all values fit into the lower ones (labels, or 8 bits in 16). The
  // highest level that a sample can have comes back in `levels`. `scratch` is asked once.
  Image ReadLevels(const ByteMemory& scratch, const PixelMemory& memory, int& levels);

  // The file ended early, and the policy tolerates it.
  bool filled() const { return filled_; }

 private:
  bool plain() const;  // one byte a pixel: no unpacking
  // Writes the packed rows of the whole picture; what is over of `scratch` may be used.
  void DecodePacked(const std::optional<PngData>& data, std::span<uint8_t> scratch, uint8_t* out,
                    size_t stride);
  bool interlaced() const { return header_.interlace_method != SPNG_INTERLACE_NONE; }
  // Throws BadSample where so small a file can't hold what is wanted.
  void CheckBytes(const Window& wanted) const;
  // Decodes rows 0 .. rows-1 to `data`, of which `wanted` must be there.
  void Decode(int format, uint8_t* data, size_t stride, size_t row_bytes, int rows,
              const Window& wanted);
  [[noreturn]] void Throw(int code) const;
  void Check(int code) const {
    if (code != SPNG_OK) Throw(code);
  }

  struct Free {
    void operator()(spng_ctx* context) const { spng_ctx_free(context); }
  };
  const EncodedPicture picture_;
  const DecodePolicy policy_;
  std::unique_ptr<spng_ctx, Free> spng_;
  spng_ihdr header_{};
  size_t row_bytes_ = 0;  // of a packed row
  bool filled_ = false;
};

}  // namespace flowtrain::image
