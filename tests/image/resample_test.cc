// The resampler against its formula in double precision, against Pillow, and its loops against each
// other.
#include "stages/image/resample/resample.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "image/pillow_golden.h"
#include "image/raster.h"

using namespace flowtrain;
using namespace flowtrain::image;
using namespace flowtrain::testing;

namespace {

// A picture of its own memory, each row of which ends where it may be read.
Image ViewOf(Raster& raster) {
  Image image{.data = raster.values.data(),
              .height = raster.height,
              .width = raster.width,
              .channels = raster.channels};
  image.stride = image.row_bytes();
  return image;
}

Side Whole(int pixels) { return {0, double(pixels), 0, pixels}; }

Raster Scaled(Raster from, const Side& x, const Side& y, const Resample::Output& output,
              bool antialias, const RowLoops& loops = FastRowLoops()) {
  Raster to(output.height, output.width, 3, 0xCD);
  const Resample resample(x, y, output, antialias, loops);
  auto* scratch =
      static_cast<uint8_t*>(std::aligned_alloc(64, (resample.scratch_bytes() + 63) / 64 * 64));
  std::fill_n(scratch, resample.scratch_bytes(), 0xEE);
  resample.Run(ViewOf(from), {scratch, resample.scratch_bytes()}, ViewOf(to));
  std::free(scratch);
  return to;
}

Raster Scaled(const Raster& from, int height, int width, bool antialias = true) {
  return Scaled(from, Whole(from.width), Whole(from.height), {height, width}, antialias);
}

// The triangle filter, written down once more, without rounding before the end.
Raster Formula(const Raster& from, const Side& x, const Side& y, int height, int width,
               bool antialias) {
  const auto weights = [antialias](const Side& side, int outputs, int i) {
    const double step = side.length / outputs, centre = side.start + (i + 0.5) * step;
    const double radius = antialias ? std::max(1.0, step) : 1.0;
    std::vector<double> all(size_t(side.end), 0.0);
    double sum = 0;
    for (int k = side.begin; k < side.end; ++k)
      sum += all[k] = std::max(0.0, 1 - std::abs(k + 0.5 - centre) / radius);
    for (double& weight : all) weight /= sum;
    return all;
  };
  Raster to(height, width, 3);
  for (int i = 0; i < height; ++i) {
    const std::vector<double> down = weights(y, height, i);
    for (int k = 0; k < width; ++k) {
      const std::vector<double> across = weights(x, width, k);
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int v = y.begin; v < y.end; ++v) {
          for (int u = x.begin; down[v] != 0 && u < x.end; ++u)
            sum += down[v] * across[u] * from.at(v, u, c);
        }
        to.at(i, k, c) = uint8_t(std::lround(sum));
      }
    }
  }
  return to;
}

}  // namespace

TEST_CASE("a resized picture is what the triangle filter's formula says, up to rounding") {
  const Raster raster = Noise(61, 83, 3, 21);
  double worst = 99;
  for (const bool antialias : {true, false}) {
    for (const auto& [height, width] : std::vector<std::array<int, 2>>{{61, 83},
                                                                       {30, 41},
                                                                       {20, 83},
                                                                       {61, 11},
                                                                       {7, 5},
                                                                       {100, 90},
                                                                       {61, 200},
                                                                       {31, 120},
                                                                       {1, 1}}) {
      CAPTURE(height);
      CAPTURE(width);
      const Raster scaled = Scaled(raster, height, width, antialias);
      const Raster exact = Formula(raster, Whole(83), Whole(61), height, width, antialias);
      CHECK(MaxDifference(scaled, exact) <= 1);
      worst = std::min(worst, Psnr(scaled, exact));
    }
  }
  MESSAGE("worst PSNR against the formula: " << worst << " dB");
  CHECK(worst > 50);
}

TEST_CASE("a resized picture is Pillow's, at 45 dB and better") {
  for (const Golden& golden : PillowGolden()) {
    Raster pillow(golden.to_height, golden.to_width, 3);
    for (size_t i = 0; i < pillow.values.size(); ++i)
      pillow.values[i] = uint8_t(std::stoi(golden.hex.substr(2 * i, 2), nullptr, 16));
    const Raster ours =
        Scaled(Noise(golden.height, golden.width, 3, 5), golden.to_height, golden.to_width);
    MESSAGE(golden.width << " x " << golden.height << " to " << golden.to_width << " x "
                         << golden.to_height << ": " << Psnr(ours, pillow) << " dB");
    CHECK(Psnr(ours, pillow) > 45);
    CHECK(MaxDifference(ours, pillow) <= 1);
  }
}

TEST_CASE("a part between pixels is scaled as it is, and looks at no pixel outside of its bounds") {
  const Raster raster = Noise(40, 50, 3, 3);
  const Side x{7.25, 30.5, 7, 38}, y{3.5, 20.125, 3, 24};
  Raster painted = raster;
  for (int v = 0; v < 40; ++v) {
    for (int u = 0; u < 50; ++u) {
      if (u >= 7 && u < 38 && v >= 3 && v < 24) continue;
      for (int c = 0; c < 3; ++c) painted.at(v, u, c) = 255;
    }
  }
  for (const bool antialias : {true, false}) {
    for (const auto& [height, width] :
         std::vector<std::array<int, 2>>{{10, 12}, {33, 70}, {12, 60}}) {
      const Raster scaled = Scaled(raster, x, y, {height, width}, antialias);
      CHECK(MaxDifference(scaled, Formula(raster, x, y, height, width, antialias)) <= 1);
      CHECK(scaled == Scaled(painted, x, y, {height, width}, antialias));
    }
  }
}

TEST_CASE("mirrored scaling is the mirror of plain scaling, and its own size is a copy") {
  const Raster raster = Noise(30, 44, 3, 8);
  for (const auto& [height, width] :
       std::vector<std::array<int, 2>>{{17, 20}, {50, 60}, {30, 44}}) {
    const Raster plain = Scaled(raster, height, width);
    for (const int tag : {2, 3, 4}) {
      const bool mirror_x = tag != 4, mirror_y = tag != 2;
      CHECK(Scaled(raster, Whole(44), Whole(30), {height, width, mirror_x, mirror_y}, true) ==
            Shown(plain, tag));
    }
  }
  CHECK(Scaled(raster, 30, 44) == raster);
}

TEST_CASE("a plain area keeps its value to the bit, whatever the scale") {
  for (const int value : {0, 1, 127, 254, 255}) {
    const Raster plain(45, 77, 3, uint8_t(value));
    for (const int size : {1, 3, 19, 44, 46, 130})
      CHECK(Scaled(plain, size, size + 3) == Raster(size, size + 3, 3, uint8_t(value)));
  }
}

TEST_CASE("the loops for AVX2 and those in plain C++ give the same bytes") {
  if (&FastRowLoops() == &PlainRowLoops()) {
    MESSAGE("skipped: this CPU has no AVX2");
    return;
  }
  for (int width = 1; width <= 70; width += 3) {
    const Raster raster = Noise(23, width, 3, uint32_t(width));
    for (const auto& [to_height, to_width] : std::vector<std::array<int, 2>>{
             {11, 5}, {40, 33}, {23, 12}, {3, 1}, {9, 64}, {23, width}}) {
      for (const bool antialias : {true, false}) {
        const Resample::Output output{to_height, to_width};
        CHECK(Scaled(raster, Whole(width), Whole(23), output, antialias) ==
              Scaled(raster, Whole(width), Whole(23), output, antialias, PlainRowLoops()));
      }
    }
  }
}

TEST_CASE("a mask takes the pixel at the centre of each output pixel") {
  Raster mask(1, 6, 1), to(1, 3, 1);
  mask.values = {10, 20, 30, 40, 50, 60};
  TakeNearest(ViewOf(mask), Whole(6), Whole(1), {1, 3}, ViewOf(to));
  CHECK(to.values == std::vector<uint8_t>{20, 40, 60});
  TakeNearest(ViewOf(mask), Whole(6), Whole(1), {1, 3, true, false}, ViewOf(to));
  CHECK(to.values == std::vector<uint8_t>{60, 40, 20});
  TakeNearest(ViewOf(mask), {1.5, 1.5, 1, 3}, Whole(1), {1, 3}, ViewOf(to));
  CHECK(to.values == std::vector<uint8_t>{20, 30, 30});
}
