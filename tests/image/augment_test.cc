// Image and mask are scaled, turned and recoloured in step, the same way for the same numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "image/augmenting.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

const Raster kImage = Noise(24, 24, 3, 4);
const Raster kMask = BinaryNoise(24, 24);

}  // namespace

TEST_CASE("without ops and at its own size an image is copied as it is") {
  const Augmented out = Augment(Params(24, 24, {}), kImage, kMask);
  CHECK(out.image == kImage);
  CHECK(out.mask == kMask);
}

TEST_CASE("a flip mirrors image and mask, always at p = 1 and never at p = 0") {
  const Augmented across = Augment(Params(24, 24, {Op("flip", {{"p", 1}})}), kImage, kMask);
  CHECK(across.image == Shown(kImage, 2));
  CHECK(across.mask == Shown(kMask, 2));
  const Augmented down =
      Augment(Params(24, 24, {Op("flip", {{"p", 1}, {"axis", "vertical"}})}), kImage, kMask);
  CHECK(down.image == Shown(kImage, 4));
  CHECK(down.mask == Shown(kMask, 4));
  CHECK(Augment(Params(24, 24, {Op("flip", {{"p", 0}})}), kImage, kMask).image == kImage);
}

TEST_CASE("rot90 gives each quarter turn, image and mask alike, and the share that p says") {
  const Value params = Params(24, 24, {Op("rot90", {{"p", 0.75}})});
  int count[9] = {};
  for (uint64_t position = 0; position < 400; ++position) {
    const Augmented out = Augment(params, kImage, kMask, position);
    for (const int tag : {1, 6, 3, 8}) {
      if (out.image != Shown(kImage, tag)) continue;
      CHECK(out.mask == Shown(kMask, tag));
      ++count[tag];
    }
  }
  CHECK(count[1] + count[6] + count[3] + count[8] == 400);
  for (const int tag : {1, 6, 3, 8}) CHECK(std::abs(count[tag] - 100) < 35);  // 4 sigma
}

TEST_CASE("ops apply in the order in which they stand") {
  // A quarter turn and a mirror don't commute.
  for (uint64_t position = 0; position < 20; ++position) {
    const Value turn = Op("rot90", {{"p", 1}}), mirror = Op("flip", {{"p", 1}});
    const Raster turned = Augment(Params(24, 24, {turn}), kImage, kMask, position).image;
    CHECK(Augment(Params(24, 24, {turn, mirror}), kImage, kMask, position).image ==
          Shown(turned, 2));
    const Raster mirrored_first =
        Augment(Params(24, 24, {mirror, turn}), kImage, kMask, position).image;
    const bool found = std::any_of(std::begin({6, 3, 8}), std::end({6, 3, 8}), [&](int tag) {
      return turned == Shown(kImage, tag) && mirrored_first == Shown(Shown(kImage, 2), tag);
    });
    CHECK(found);
  }
}

TEST_CASE("a quarter turn into a size that is not square turns first and scales then") {
  const Raster image = Noise(16, 32, 3, 8), mask = BinaryNoise(16, 32);
  std::set<int> seen;
  for (uint64_t position = 0; position < 30; ++position) {
    const Augmented out = Augment(Params(32, 16, {Op("rot90", {{"p", 1}})}), image, mask, position);
    for (const int tag : {6, 8}) {
      if (out.image != Shown(image, tag)) continue;
      CHECK(out.mask == Shown(mask, tag));
      seen.insert(tag);
    }
  }
  CHECK(seen == std::set<int>{6, 8});
}

TEST_CASE("the plan asks the decoder for the size before the turn, as Process draws it") {
  // 320 x 160 stored, 40 x 20 wanted: an eighth of the size is enough when turned, not otherwise.
  const FileBytes file = MakeJpeg(Gradient(160, 320));
  int turned = 0;
  for (uint64_t position = 0; position < 40; ++position) {
    StageRunner runner;
    runner.Add(ImagePlugin().Find("image.decode"))
        .Add(ImagePlugin().Find("image.augment"), Params(40, 20, {Op("rot90", {{"p", 0.5}})}));
    Sample sample = MakeSample(file);
    sample.id.position = position;
    runner.Process(sample);
    const bool swapped = runner.planned()->height == 20 && runner.planned()->width == 40;
    if (!swapped) CHECK((runner.planned()->height == 40 && runner.planned()->width == 20));
    // Red grows to the right in the file: where it grows downwards or upwards, the picture was
    // turned.
    const Raster out = Copy(sample.image("image"));
    const bool is_turned = std::abs(out.at(39, 10, 0) - out.at(0, 10, 0)) > 100;
    CHECK(is_turned == swapped);
    turned += swapped;
  }
  CHECK(turned > 5);
  CHECK(turned < 25);
}

TEST_CASE("where the image shrinks it is antialiased unless told otherwise; a mask never is") {
  // Columns of black and white, a pixel each: their mean, or whatever lies under four pixels.
  Raster image(8, 32, 3), mask(8, 32, 1);
  for (int i = 0; i < 8 * 32; ++i) {
    for (int c = 0; c < 3; ++c) image.values[3 * i + c] = i % 2 ? 255 : 0;
    mask.values[i] = i % 2 ? 255 : 0;
  }
  const Augmented smooth = Augment(Params(8, 8, {}), image, mask);
  for (int x = 1; x < 7; ++x) CHECK(std::abs(smooth.image.at(3, x, 1) - 128) <= 1);
  // Of four columns the two in the middle are the nearest: still 128. Of five, centres lie on
  // pixels.
  const Augmented rough = Augment(Params(8, 32 / 3, {}, false), image, mask);
  int extremes = 0;
  for (const uint8_t value : rough.image.values) extremes += value < 64 || value > 191;
  CHECK(extremes > 50);
  for (const uint8_t value : smooth.mask.values) CHECK((value == 0 || value == 255));
  const Augmented larger = Augment(Params(9, 41, {}), image, mask);
  for (const uint8_t value : larger.mask.values) CHECK((value == 0 || value == 255));
}

TEST_CASE("jitter changes colours as its formula says, and leaves the mask") {
  // Brightness, contrast, saturation of one sample are recovered from three gray levels and a
  // colour, then every pixel must fit.
  const Raster image = Gradient(40, 48);
  for (const char* what : {"brightness", "contrast", "saturation"}) {
    CAPTURE(what);
    double least = 9, most = -9;
    for (uint64_t position = 0; position < 60; ++position) {
      const Augmented out = Augment(Params(40, 48, {Op("jitter", {{what, 0.4}})}), image,
                                    BinaryNoise(40, 48), position);
      REQUIRE(out.mask == BinaryNoise(40, 48));
      const double luma[] = {0.299, 0.587, 0.114};
      double mean = 0;
      for (int c = 0; c < 3; ++c) mean += luma[c] * Mean(image, c);
      const auto pivot = [&](int i) {
        if (what[0] == 'b') return 0.0;
        if (what[0] == 'c') return mean;
        double gray = 0;
        for (int c = 0; c < 3; ++c) gray += luma[c] * image.values[i / 3 * 3 + c];
        return gray;
      };
      double product = 0, square = 0;
      for (int i = 0; i < 40 * 48 * 3; ++i) {
        if (out.image.values[i] == 0 || out.image.values[i] == 255) continue;
        product += (image.values[i] - pivot(i)) * (out.image.values[i] - pivot(i));
        square += std::pow(image.values[i] - pivot(i), 2);
      }
      const double factor = product / square;
      least = std::min(least, factor), most = std::max(most, factor);
      for (int i = 0; i < 40 * 48 * 3; ++i) {
        const double expected =
            std::clamp(pivot(i) + factor * (image.values[i] - pivot(i)), 0.0, 255.0);
        REQUIRE(std::abs(out.image.values[i] - expected) <= 2);
      }
    }
    CHECK(least > 0.599);
    CHECK(least < 0.68);
    CHECK(most < 1.401);
    CHECK(most > 1.32);
  }
}

TEST_CASE("the same numbers give the same bytes, other positions and seeds give others") {
  const Value params =
      Params(20, 20,
             {Op("flip", {}), Op("rot90", {}),
              Op("jitter", {{"brightness", 0.5}, {"contrast", 0.5}, {"saturation", 0.5}})});
  const Raster first = Augment(params, kImage, kMask, 7).image;
  CHECK(Augment(params, kImage, kMask, 7).image == first);
  CHECK(Augment(params, kImage, kMask, 8).image != first);
  CHECK(Augment(params, kImage, kMask, 7, 43).image != first);
}

TEST_CASE("an op that is added leaves the draws of the others as they were") {
  const Value jitter = Op("jitter", {{"brightness", 0.5}});
  for (uint64_t position = 0; position < 10; ++position) {
    const Augmented alone = Augment(Params(24, 24, {Op("flip", {})}), kImage, kMask, position);
    const Augmented both =
        Augment(Params(24, 24, {jitter, Op("flip", {})}), kImage, kMask, position);
    CHECK(alone.mask == both.mask);
  }
}

TEST_CASE(
    "the declaration says what comes out: the size given, and a mask only where there is one") {
  const StageDeclaration& augment = ImagePlugin().Find("image.augment");
  REQUIRE(augment.flows.size() == 2);
  const Flow image = augment.flows[0].made(WithDefaults(augment, Params(6, 7, {})));
  CHECK(image.height == 6);
  CHECK(image.width == 7);
  CHECK(image.channels == 3);
  CHECK(augment.flows[1].optional);
  const StageDeclaration& decode = ImagePlugin().Find("image.decode");
  CHECK_FALSE(decode.flows[0].made(WithDefaults(decode, {})).known());
}
