// image.decode: encoded bytes -> pixels, formats told apart by content. Const after
// construction; Process runs on all compute workers at once.
#pragma once

#include <flowtrain/stage.h>

#include <string>

#include "stages/image/picture.h"

namespace flowtrain::image {

class Decode final : public Transform {
 public:
  struct Params {
    bool exif = true;
    bool scale = true;
    std::string truncated = "reject";
    int64_t max_pixels = 100'000'000;
  };
  static void Declare(Declaration<Params>& d);
  explicit Decode(const Params& params);

  void Process(Sample& sample, Context& context) const override;

 private:
  // How the image was stored, which its mask follows.
  struct Stored {
    int width = 0, height = 0;
    Orientation orientation;
    Region covers;  // of the turned picture
  };
  Stored DecodeImage(Sample& sample, Context& context) const;
  void DecodeMask(const Stored& image, Sample& sample, Context& context) const;

  const bool exif_;
  const DecodePolicy policy_;
};

}  // namespace flowtrain::image
