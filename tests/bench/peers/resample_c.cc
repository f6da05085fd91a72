// The image plugin's resampler for programs in other languages: resamplers.py compares it with
// theirs.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "stages/image/resample/resample.h"

// A whole RGB picture of 8 bits a channel, lines without gaps, scaled to `to_height` x `to_width`.
extern "C" __attribute__((visibility("default"))) void resample_rgb(const uint8_t* from, int height,
                                                                    int width, uint8_t* to,
                                                                    int to_height, int to_width,
                                                                    int antialias) {
  using flowtrain::Image;
  namespace image = flowtrain::image;
  struct Free {
    void operator()(uint8_t* block) const { std::free(block); }
  };
  const auto view = [](const uint8_t* pixels, int h, int w) {
    Image picture{.data = const_cast<uint8_t*>(pixels), .height = h, .width = w, .channels = 3};
    picture.stride = picture.row_bytes();
    return picture;
  };
  const image::Side x{0, double(width), 0, width}, y{0, double(height), 0, height};
  const image::Resample resample(x, y, {to_height, to_width}, antialias != 0);
  const size_t bytes = (resample.scratch_bytes() + 63) / 64 * 64;
  const std::unique_ptr<uint8_t, Free> scratch(
      static_cast<uint8_t*>(std::aligned_alloc(64, bytes)));
  resample.Run(view(from, height, width), {scratch.get(), resample.scratch_bytes()},
               view(to, to_height, to_width));
}
