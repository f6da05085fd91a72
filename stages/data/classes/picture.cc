#include "stages/data/classes/picture.h"

#include <flowtrain/rng.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace flowtrain::data::classes {
namespace {

using Colour = std::array<float, 3>;

struct Named {
  const char* name;
  Colour colour;
};

// Each in the order of its names.
constexpr std::array<const char*, 5> kPatterns{"checks", "dots", "rings", "stripes", "zigzag"};
constexpr std::array<Named, 6> kColours{{{"blue", {50, 90, 200}},
                                         {"green", {60, 150, 60}},
                                         {"orange", {230, 130, 40}},
                                         {"purple", {130, 60, 160}},
                                         {"red", {200, 50, 50}},
                                         {"yellow", {220, 200, 60}}}};
constexpr std::array<Named, 4> kGrounds{{{"black", {30, 30, 30}},
                                         {"brown", {110, 75, 45}},
                                         {"gray", {150, 150, 150}},
                                         {"white", {230, 230, 230}}}};
static_assert(kPatterns.size() * kColours.size() * kGrounds.size() == kClassCount);

struct Class {
  uint32_t pattern;
  Named colour, ground;
};

Class ClassOf(uint32_t number) {
  return {number / static_cast<uint32_t>(kGrounds.size() * kColours.size()),
          kColours[number / kGrounds.size() % kColours.size()], kGrounds[number % kGrounds.size()]};
}

// No sine or exponential in here: those differ in the last bit between machines. Periods are 1.
float Fraction(float x) { return x - std::floor(x); }
float Triangle(float x) { return std::abs(2 * Fraction(x) - 1); }  // 0 to 1

// How much of the pattern's colour a point has, 0 or 1.
float Pattern(uint32_t kind, float x, float y) {
  const float dx = Fraction(x) - 0.5f, dy = Fraction(y) - 0.5f;
  switch (kind) {
    case 0:  // checks
      return (dx < 0) == (dy < 0) ? 1.0f : 0.0f;
    case 1:  // dots
      return dx * dx + dy * dy < 0.1f ? 1.0f : 0.0f;
    case 2:  // rings
      return Fraction(std::sqrt(x * x + y * y)) < 0.5f ? 1.0f : 0.0f;
    case 3:  // stripes
      return dy < 0 ? 1.0f : 0.0f;
    default:  // zigzag
      return Fraction(y + Triangle(x)) < 0.5f ? 1.0f : 0.0f;
  }
}

Colour Varied(const Colour& colour, Rng& rng) {
  Colour varied;
  for (size_t c = 0; c < 3; ++c) varied[c] = colour[c] + static_cast<float>(rng.Uniform(-20, 20));
  return varied;
}

}  // namespace

std::string ClassName(uint32_t of_class) {
  const Class named = ClassOf(of_class);
  return std::string(kPatterns[named.pattern]) + "-" + named.colour.name + "-on-" +
         named.ground.name;
}

Picture Draw(uint32_t of_class, uint64_t number) {
  Rng rng(0, Rng::HashStream("classes picture"), of_class, number);
  const auto uniform = [&](double low, double high) {
    return static_cast<float>(rng.Uniform(low, high));
  };
  Picture picture{.width = static_cast<int>(uniform(220, 341)),
                  .height = static_cast<int>(uniform(170, 241)),
                  .rgb = {}};
  if (rng.Bernoulli(0.25)) std::swap(picture.width, picture.height);
  picture.rgb.resize(static_cast<size_t>(picture.width) * picture.height * 3);

  const Class drawn = ClassOf(of_class);
  const Colour ink = Varied(drawn.colour.colour, rng), ground = Varied(drawn.ground.colour, rng);
  const float period = uniform(14, 56);
  const float left = uniform(0, picture.width), top = uniform(0, picture.height);
  // A turn by a slope, at most 14 degrees.
  const float slope = uniform(-0.25, 0.25), stretch = 1 / std::sqrt(1 + slope * slope);
  const float light_x = uniform(-0.3, 0.3), light_y = uniform(-0.3, 0.3);

  uint8_t* pixel = picture.rgb.data();
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x, pixel += 3) {
      const float u = (static_cast<float>(x) - left) / period;
      const float v = (static_cast<float>(y) - top) / period;
      const float share =
          Pattern(drawn.pattern, (u - slope * v) * stretch, (v + slope * u) * stretch);
      const float light = 1 + light_x * (2.0f * x / picture.width - 1) +
                          light_y * (2.0f * y / picture.height - 1);
      const float grain = static_cast<float>(rng.NextU32() >> 29) - 3.5f;
      for (size_t c = 0; c < 3; ++c) {
        const float value = (ground[c] + (ink[c] - ground[c]) * share) * light + grain;
        pixel[c] = static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f));
      }
    }
  }
  return picture;
}

}  // namespace flowtrain::data::classes
