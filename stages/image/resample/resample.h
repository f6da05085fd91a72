// Scales a part of an RGB picture of 8 bits a channel, antialiased or not, mirrored or not: in one
// pass, in integers, with only a few rows of scratch. Made for one picture; one thread.
//
// Rows come first where the picture shrinks downwards (fewer rows are then taken across, which is
// the dearer half), columns where it grows.
#pragma once

#include <flowtrain/image.h>

#include <cstddef>
#include <span>

#include "stages/image/resample/rows.h"
#include "stages/image/resample/taps.h"

namespace flowtrain::image {

class Resample {
 public:
  struct Output {
    int height = 0, width = 0;
    bool mirror_x = false, mirror_y = false;
  };
  // `x`, `y`: the part of the source picture.
  Resample(const Side& x, const Side& y, const Output& output, bool antialias,
           const RowLoops& loops = FastRowLoops());

  size_t scratch_bytes() const;
  // `scratch`: scratch_bytes(), 64-byte aligned. `to`: of the output's size.
  void Run(const Image& from, std::span<uint8_t> scratch, const Image& to) const;

 private:
  void RowsFirst(const Image& from, const int16_t* paired, uint8_t* line, const Image& to) const;
  void ColumnsFirst(const Image& from, const int16_t* paired, uint8_t* lines,
                    const Image& to) const;
  // A line of source pixels, those that may be looked at, with room for what is read behind them.
  size_t source_line_bytes() const;
  size_t output_line_bytes() const;

  const RowLoops& loops_;
  const Side x_, y_;
  const bool rows_first_;
  Taps across_, down_;  // `across_` counts from x_.begin
};

// Takes the pixel at the centre of each output pixel: for masks, of one channel.
void TakeNearest(const Image& from, const Side& x, const Side& y, const Resample::Output& output,
                 const Image& to);

}  // namespace flowtrain::image
