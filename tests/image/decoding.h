// One line to decode a made file. For tests.
#pragma once

#include "image/made_files.h"
#include <flowtrain/testing/stage_runner.h>

namespace flowtrain::testing {

struct Decoded {
  Raster image{0, 0, 3};
  Raster mask{0, 0, 1};
  Region image_covers, mask_covers;
  std::vector<std::string> warnings;
};

inline Decoded DecodeWith(const Value& params, Sample sample, const View& wanted = {}) {
  StageRunner runner;
  runner.Add(ImagePlugin().Find("image.decode"), params).Want(wanted);
  runner.Process(sample);
  Decoded decoded;
  decoded.image = Copy(sample.image("image"));
  decoded.image_covers = sample.image("image").covers;
  if (sample.has_image("mask")) {
    decoded.mask = Copy(sample.image("mask"));
    decoded.mask_covers = sample.image("mask").covers;
  }
  decoded.warnings = runner.warnings();
  return decoded;
}

inline Raster DecodeImage(const FileBytes& bytes, const View& wanted = {},
                          const Value& params = {}) {
  return DecodeWith(params, MakeSample(bytes), wanted).image;
}

}  // namespace flowtrain::testing
