// Binary PGM and PPM (netpbm's P5 and P6) -> pixels. One picture, one thread.
#pragma once

#include "stages/image/picture.h"

namespace flowtrain::image {

class PnmReader {
 public:
  // Reads the header. Throws BadSample: every message has the picture's path.
  PnmReader(const EncodedPicture& picture, const DecodePolicy& policy);

  int width() const { return width_; }
  int height() const { return height_; }

  // RGB, 8 bit, levels spread over 0 .. 255. Only the wanted part.
  Image ReadRgb(const Wanted& wanted, const PixelMemory& memory) const;
  // The first channel of the whole picture, unscaled: of two bytes the upper one, unless all values
  // fit into the lower ones. The highest level that a sample can have comes back in `levels`.
  Image ReadLevels(const PixelMemory& memory, int& levels) const;

  // The file ended early, and the policy tolerates it: what is missing reads as 0.
  bool filled() const { return filled_; }

 private:
  // The next number of the header, and past the one white space that ends it. A comment, from "#"
  // to the end of its line, may stand anywhere before that, in the midst of a number too; its
  // line's end ends no number (netpbm's ppm(5), as Pillow reads it).
  int Number(size_t& at) const;
  // Throws BadSample where too much of the file is missing.
  void CheckSamples(const Window& wanted) const;
  [[noreturn]] void Throw(const char* reason, const char* what) const;
  int Sample(size_t pixel, int channel) const;

  const EncodedPicture picture_;
  const DecodePolicy policy_;
  int channels_ = 1, width_ = 0, height_ = 0;
  int most_ = 255;  // the value of white
  size_t sample_bytes_ = 1;
  std::span<const uint8_t> samples_;
  bool filled_ = false;
};

}  // namespace flowtrain::image
