// Whatever stands in a list of ops, within the ranges that the declaration gives, a picture of any
// size comes out at the size that was asked for, and its mask with it.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "image/augmenting.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

const std::vector<Alternative>& AllOps() {
  const StageDeclaration& augment = ImagePlugin().Find("image.augment");
  const auto ops = std::find_if(augment.params.begin(), augment.params.end(),
                                [](const ParamSpec& spec) { return spec.name == "ops"; });
  return ops->type.element.at(0).alternatives;
}

// A number of the parameter's range: often an end of it, over decades where it spans them.
double DrawNumber(const ParamSpec& spec, Rng& rng) {
  const double least = *spec.min, largest = *spec.max;
  switch (rng.Below(4)) {
    case 0:
      return least;
    case 1:
      return largest;
    case 2:
      if (least > 0) return least * std::pow(largest / least, rng.Uniform());
      [[fallthrough]];
    default:
      return rng.Uniform(least, largest);
  }
}

Value DrawParam(const ParamSpec& spec, Rng& rng) {
  switch (spec.type.kind) {
    case ParamKind::kEnum:
      return spec.choices[rng.Below(spec.choices.size())];
    case ParamKind::kInteger:
      return static_cast<int64_t>(DrawNumber(spec, rng));
    case ParamKind::kList: {
      const double one = DrawNumber(spec, rng), other = DrawNumber(spec, rng);
      return Value::List{std::min(one, other), std::max(one, other)};
    }
    default:
      REQUIRE(spec.type.kind == ParamKind::kNumber);
      return DrawNumber(spec, rng);
  }
}

Value DrawOp(const Alternative& op, Rng& rng) {
  Value value;
  value.Set("op", op.tag);
  for (const ParamSpec& field : op.fields) {
    if (rng.Bernoulli(0.7)) value.Set(field.name, DrawParam(field, rng));
  }
  return value;
}

int DrawSide(Rng& rng) {
  const uint64_t kind = rng.Below(3);
  return kind == 0 ? 1 : 1 + static_cast<int>(rng.Below(kind == 1 ? 5 : 48));
}

// Four fields of red or none, and blue all over; the mask is the red.
Augmented Fields4(int height, int width) {
  Augmented made{Raster(height, width, 3), Raster(height, width, 1)};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const uint8_t field = (2 * y < height) == (2 * x < width) ? 255 : 0;
      made.image.at(y, x, 0) = made.mask.at(y, x) = field;
      made.image.at(y, x, 2) = 255;
    }
  }
  return made;
}

// Where the image tells without doubt what lies there, the mask says the same.
int ToldAlike(const Augmented& out) {
  int told = 0;
  for (size_t i = 0; i < out.mask.values.size(); ++i) {
    const int red = out.image.values[3 * i], blue = out.image.values[3 * i + 2];
    const int mask = out.mask.values[i];
    REQUIRE((mask == 0 || mask == 255));
    if (blue == 0 || red == 255 || (blue == 255 && red == 0)) {
      ++told;
      REQUIRE(mask == (blue == 0 ? 0 : red));
    }
  }
  return told;
}

}  // namespace

TEST_CASE("any ops with any parameters that are allowed take a picture of any size to any size") {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Alternative>& all = AllOps();
  const std::set<std::string> recolour = {"jitter", "gray", "blur", "cutout"};
  Rng rng(17, 1, 0, 0);
  int made = 0, refused = 0, told = 0;
  for (uint64_t draw = 0; draw < 2000; ++draw) {
    const Augmented from = Fields4(DrawSide(rng), DrawSide(rng));
    const int height = DrawSide(rng), width = DrawSide(rng);
    Value::List ops, moving;
    for (uint64_t i = rng.Below(5); i-- > 0;) {
      const Alternative& op = all[rng.Below(all.size())];
      ops.push_back(DrawOp(op, rng));
      if (!recolour.contains(op.tag)) moving.push_back(ops.back());
    }
    const bool antialias = rng.Bernoulli(0.5);
    CAPTURE(draw);
    try {
      const Augmented out =
          AugmentPixels(Params(height, width, ops, antialias), from.image, from.mask, draw);
      const Augmented bare =
          AugmentPixels(Params(height, width, moving, antialias), from.image, from.mask, draw);
      REQUIRE(out.image.height == height);
      REQUIRE(out.image.width == width);
      REQUIRE(out.mask.height == height);
      REQUIRE(out.mask.width == width);
      REQUIRE(out.mask == bare.mask);  // what recolours leaves it
      told += ToldAlike(bare);
      ++made;
    } catch (const Refused&) {
      ++refused;  // an op that changes nothing
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  MESSAGE(made << " made, " << refused << " refused, " << told << " pixels told alike, in "
               << seconds << " s");
  CHECK(made > 1500);
  CHECK(told > 100'000);
}

TEST_CASE("a picture of one pixel, one row or one column grows a thousandfold under each op") {
  Rng rng(18, 1, 0, 0);
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 7}, {7, 1}, {2, 2}}) {
    const Augmented from = Fields4(height, width);
    for (const Alternative& op : AllOps()) {
      CAPTURE(op.tag);
      Value value = DrawOp(op, rng);
      if (op.tag == "jitter") value.Set("contrast", 0.5);
      if (op.tag == "affine") value.Set("degrees", 30);
      const Augmented out = AugmentPixels(Params(1000, 1000, {value}), from.image, from.mask, 5);
      CHECK(out.image.height == 1000);
      CHECK(out.mask.width == 1000);
    }
  }
}
