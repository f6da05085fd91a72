// JPEG and PNG files made in memory with the libraries themselves, and the image plugin's stages.
// For tests.
#pragma once

#include <flowtrain/sample.h>

#include <cstdint>
#include <string>
#include <vector>

#include "image/raster.h"
#include <flowtrain/testing/declarations.h>

namespace flowtrain::testing {

using FileBytes = std::vector<uint8_t>;

struct JpegOptions {
  int quality = 95;
  bool progressive = false;
  int h_sampling = 2, v_sampling = 2;  // of the luminance; 2 x 2 is 4:2:0
  int exif = 0;                        // tag to write; 0: no EXIF block
  bool big_endian_exif = false;
  bool adobe = true;  // 4 channels: with the marker that says "complement of the ink"
  bool ycck = false;  // 4 channels: stored as YCCK
  int restart_rows = 0;
  bool arithmetic = false;
};
// 1 channel: gray, 3: YCbCr, 4: CMYK as given.
FileBytes MakeJpeg(const Raster& raster, const JpegOptions& options = {});

struct PngOptions {
  int color_type = -1;  // -1: gray or RGB by the channels; 3: palette (the raster holds indices)
  int depth = 8;        // below 8: the raster holds levels; 16: `wide` holds the samples
  bool interlaced = false;
  int filter = -1;  // of every row, 0 .. 4 of the PNG specification; -1: the encoder's choice
  std::vector<uint8_t> palette;  // r, g, b, ...
  std::vector<uint16_t> wide;
};
FileBytes MakePng(const Raster& raster, const PngOptions& options = {});

// A PNG or JPEG of 62 bytes or so whose header says so many pixels, and which has nothing else.
FileBytes HugePngHeader(uint32_t width, uint32_t height);

Sample MakeSample(const FileBytes& image, const FileBytes& mask = {},
                  const std::string& path = "a/picture.jpg");

const CollectingRegistrar& ImagePlugin();

}  // namespace flowtrain::testing
