// Ops that move pixels do what their help says, image and mask in step.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "image/augmenting.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

constexpr int kSide = 256;
constexpr double kPi = std::numbers::pi;

// Red is the column, green the row, blue is full: each output pixel tells where it comes from, and
// whether that lies in the picture.
Raster Coordinates() {
  Raster image(kSide, kSide, 3, 255);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) image.at(y, x, 0) = uint8_t(x), image.at(y, x, 1) = uint8_t(y);
  }
  return image;
}
const Raster kCoordinates = Coordinates();

// Squares of 32 pixels.
int Board(double x, double y) { return (int(x) / 32 + int(y) / 32) % 2 ? 255 : 0; }
bool NearEdge(double at) { return std::fmod(at + 3, 32) < 6.5; }

Raster BoardMask() {
  Raster mask(kSide, kSide, 1);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) mask.at(y, x) = uint8_t(Board(x, y));
  }
  return mask;
}
const Raster kBoard = BoardMask();

// The mask shows the square that the image's colours say; counted are the pixels that tell.
int CheckInStep(const Augmented& out) {
  int told = 0;
  for (int y = 0; y < out.image.height; ++y) {
    for (int x = 0; x < out.image.width; ++x) {
      const uint8_t* pixel = &out.image.values[3 * (y * out.image.width + x)];
      if (pixel[2] < 5) {
        REQUIRE(out.mask.at(y, x) == 0);
        ++told;
      } else if (pixel[2] >= 250 && !NearEdge(pixel[0]) && !NearEdge(pixel[1])) {
        REQUIRE(out.mask.at(y, x) == Board(pixel[0], pixel[1]));
        ++told;
      }
    }
  }
  return told;
}

struct Point {
  double x, y;
};
Point At(const Raster& image, int y, int x) {
  return {double(image.at(y, x, 0)), double(image.at(y, x, 1))};
}

}  // namespace

TEST_CASE("random_resized_crop draws area, shape and place from their ranges") {
  const Value params = Params(64, 64, {Op("random_resized_crop", {})});
  double least = 1, most = 0, widest = 0, highest = 99, sum = 0;
  for (uint64_t position = 0; position < 300; ++position) {
    const Region region = Planned(params, Gradient(90, 120), position).region;
    const double area = region.width * region.height;
    const double shape = region.width * 120 / (region.height * 90);
    CHECK(region.x >= 0);
    CHECK(region.y >= 0);
    CHECK(region.x + region.width <= 1 + 1e-9);
    CHECK(region.y + region.height <= 1 + 1e-9);
    least = std::min(least, area), most = std::max(most, area), sum += area;
    widest = std::max(widest, shape), highest = std::min(highest, shape);
  }
  CHECK(least > 0.0799);
  CHECK(least < 0.12);
  CHECK(most > 0.9);
  CHECK(sum / 300 == doctest::Approx(0.52).epsilon(0.1));
  CHECK(widest <= 4.0 / 3 + 1e-6);
  CHECK(widest > 1.28);
  CHECK(highest >= 0.75 - 1e-6);
  CHECK(highest < 0.78);
  // Where no part of that area has the shape, it is the largest middle part.
  const Value flat = Params(8, 8, {Op("random_resized_crop", {{"scale", Value::List{1, 1}}})});
  const Region middle = Planned(flat, Gradient(50, 100), 0).region;
  CHECK(middle.x == doctest::Approx(1.0 / 6));
  CHECK(middle.width == doctest::Approx(2.0 / 3));
  CHECK(middle.height == 1);
}

TEST_CASE(
    "of a crop only the part is decoded, with the same pixels as of the whole, however turned") {
  const Raster raster = Noise(240, 320, 3, 17);
  const Raster mask = BinaryNoise(240, 320);
  Value full;
  full.Set("scale", false);
  for (uint64_t position = 0; position < 25; ++position) {
    for (const bool antialias : {true, false}) {
      const Value params =
          Params(56, 48, {Op("flip", {}), Op("random_resized_crop", {})}, antialias);
      const int tag = 1 + int(position) % 8;
      const FileBytes file = MakeJpeg(raster, {.quality = 90, .exif = tag});
      StageRunner runner;
      runner.Add(ImagePlugin().Find("image.decode"), full)
          .Add(ImagePlugin().Find("image.augment"), params);
      Sample sample = MakeSample(file, MakePng(mask));
      sample.id.position = position;
      runner.Process(sample);
      CHECK(runner.planned()->region != Region{});
      // The same pixels, without a decoder that asks.
      const Augmented whole = AugmentPixels(params, DecodeImage(file), Shown(mask, tag), position);
      CHECK(Copy(sample.image("image")) == whole.image);
      CHECK(Copy(sample.image("mask")) == whole.mask);
    }
  }
}

TEST_CASE(
    "a crop of a picture that was decoded smaller is in place, and close to one of the whole") {
  // 253 is no multiple of 8: the smaller picture's last pixels lie in it only in part.
  const Raster raster = Gradient(251, 253);
  const FileBytes file = MakeJpeg(raster);
  Value full;
  full.Set("scale", false);
  double worst = 99;
  for (uint64_t position = 0; position < 30; ++position) {
    const Value params = Params(24, 24, {Op("random_resized_crop", {}), Op("flip", {})});
    Raster made[2] = {raster, raster};
    for (const bool scaled : {false, true}) {
      StageRunner runner;
      runner.Add(ImagePlugin().Find("image.decode"), scaled ? Value() : full)
          .Add(ImagePlugin().Find("image.augment"), params);
      Sample sample = MakeSample(file);
      sample.id.position = position;
      runner.Process(sample);
      made[scaled] = Copy(sample.image("image"));
    }
    worst = std::min(worst, Psnr(made[0], made[1]));
  }
  MESSAGE("worst PSNR of a crop decoded smaller: " << worst << " dB");
  CHECK(worst > 40);
}

TEST_CASE(
    "a picture that was decoded at an eighth is not stretched where 8 doesn't divide its size") {
  const FileBytes file = MakeJpeg(Gradient(57, 57), {.quality = 100});
  Raster made[2] = {Raster(0, 0, 3), Raster(0, 0, 3)};
  for (const bool scaled : {false, true}) {
    Value params;
    params.Set("scale", scaled);
    StageRunner runner;
    runner.Add(ImagePlugin().Find("image.decode"), params)
        .Add(ImagePlugin().Find("image.augment"), Params(7, 7, {}));
    Sample sample = MakeSample(file);
    runner.Process(sample);
    made[scaled] = Copy(sample.image("image"));
  }
  MESSAGE("PSNR: " << Psnr(made[0], made[1]) << " dB");
  CHECK(Psnr(made[0], made[1]) > 35);
}

TEST_CASE("center_crop shows the middle in the output's shape, whatever was turned before") {
  const auto region = [](int height, int width, double share, Value::List before = {}) {
    before.push_back(Op("center_crop", {{"share", share}}));
    return Planned(Params(height, width, before), Gradient(100, 200), 0).region;
  };
  CHECK(region(50, 50, 1) == Region{0.25, 0, 0.5, 1});
  CHECK(region(50, 50, 0.875) == Region{0.28125, 0.0625, 0.4375, 0.875});
  CHECK(region(50, 200, 1) == Region{0, 0.25, 1, 0.5});
  const Region turned = region(200, 50, 1, {Op("rot90", {{"p", 1}})});
  if (turned.width == 1) CHECK(turned == Region{0, 0.25, 1, 0.5});
}

TEST_CASE("whatever is drawn, the mask stays on its image") {
  const std::vector<Value::List> lists = {
      {Op("random_resized_crop", {})},
      {Op("center_crop", {{"share", 0.7}})},
      {Op("affine", {{"degrees", 45}})},
      {Op("rot90", {}), Op("random_resized_crop", {}), Op("flip", {})},
      {Op("affine", {{"degrees", 20},
                     {"scale", Value::List{0.5, 2}},
                     {"shear", 20},
                     {"translate", Value::List{0.2, 0.2}}}),
       Op("flip", {{"axis", "vertical"}}), Op("random_resized_crop", {}), Op("rot90", {})},
      {Op("affine", {{"translate", Value::List{1, 1}}})},
  };
  for (const Value::List& ops : lists) {
    for (const auto& [height, width] : std::vector<std::array<int, 2>>{{96, 96}, {150, 70}}) {
      int told = 0;
      for (uint64_t position = 0; position < 12; ++position)
        told += CheckInStep(Augment(Params(height, width, ops), kCoordinates, kBoard, position));
      CHECK(told > height * width * 12 / 3);
    }
  }
}

TEST_CASE("affine rotates, scales, shears and moves by amounts from their ranges") {
  struct Seen {
    double least = 999, most = -999;
    void Add(double value) { least = std::min(least, value), most = std::max(most, value); }
  };
  // The vectors in the picture from the middle of the output to the right and downwards.
  const auto each = [](std::initializer_list<std::pair<const char*, Value>> members, auto take) {
    for (uint64_t position = 0; position < 60; ++position) {
      const Raster out =
          Augment(Params(kSide, kSide, {Op("affine", members)}), kCoordinates, kBoard, position)
              .image;
      const Point middle = At(out, 128, 128), right = At(out, 128, 178), below = At(out, 178, 128);
      take(middle, Point{right.x - middle.x, right.y - middle.y},
           Point{below.x - middle.x, below.y - middle.y});
    }
  };
  Seen turn, size, lean, move_x, move_y;
  each({{"degrees", 30}}, [&](Point middle, Point right, Point below) {
    CHECK(std::hypot(middle.x - 128, middle.y - 128) < 2);
    CHECK(std::hypot(right.x, right.y) == doctest::Approx(50).epsilon(0.04));
    CHECK(std::abs(right.x * below.x + right.y * below.y) < 150);  // still at right angles
    turn.Add(std::atan2(-right.y, right.x) * 180 / kPi);
  });
  CHECK(turn.least > -31.5);
  CHECK(turn.least < -24);
  CHECK(turn.most > 24);
  CHECK(turn.most < 31.5);
  each({{"scale", Value::List{0.8, 1.25}}}, [&](Point, Point right, Point below) {
    CHECK(std::abs(right.y) + std::abs(below.x) < 2);
    size.Add(50 / std::hypot(right.x, right.y));
  });
  CHECK(size.least > 0.77);
  CHECK(size.least < 0.86);
  CHECK(size.most > 1.18);
  CHECK(size.most < 1.29);
  each({{"shear", 25}}, [&](Point, Point right, Point below) {
    CHECK(std::abs(right.y) < 2);
    CHECK(below.y == doctest::Approx(50).epsilon(0.04));
    lean.Add(std::atan2(below.x, below.y) * 180 / kPi);
  });
  CHECK(lean.least > -26.5);
  CHECK(lean.least < -19);
  CHECK(lean.most > 19);
  CHECK(lean.most < 26.5);
  each({{"translate", Value::List{0.2, 0.1}}}, [&](Point middle, Point right, Point) {
    CHECK(right.x == doctest::Approx(50).epsilon(0.04));
    move_x.Add(middle.x - 128), move_y.Add(middle.y - 128);
  });
  CHECK(move_x.least > -52.5);
  CHECK(move_x.least < -40);
  CHECK(move_x.most > 40);
  CHECK(move_x.most < 52.5);
  CHECK(move_y.least > -27);
  CHECK(move_y.most < 27);
  CHECK(move_y.most > 18);
}

TEST_CASE("beyond the picture is the fill colour, and background in the mask") {
  Value params = Params(64, 64, {Op("affine", {{"scale", Value::List{0.5, 0.5}}})});
  params.Set("fill", Value::List{10, 20, 30});
  const Augmented out = Augment(params, Raster(64, 64, 3, 200), Raster(64, 64, 1, 255));
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const int border = std::min({x, y, 63 - x, 63 - y});
      if (border < 15) {
        CHECK(out.image.at(y, x, 0) == 10);
        CHECK(out.image.at(y, x, 2) == 30);
      } else if (border > 16) {
        CHECK(out.image.at(y, x, 1) == 200);
      }
      CHECK(out.mask.at(y, x) == (border < 16 ? 0 : 255));
    }
  }
}

TEST_CASE("an affine change antialiases what it makes smaller") {
  Raster stripes(256, 256, 3);
  for (int i = 0; i < 256 * 256; ++i) {
    for (int c = 0; c < 3; ++c) stripes.values[3 * i + c] = i % 2 ? 255 : 0;
  }
  const Value::List ops = {Op("affine", {{"degrees", 40}})};
  const Augmented out = Augment(Params(40, 40, ops), stripes, Raster(256, 256, 1, 255), 3);
  for (int y = 15; y < 25; ++y) {
    for (int x = 15; x < 25; ++x) CHECK(std::abs(out.image.at(y, x, 0) - 128) < 20);
  }
}
