#include "stages/data/camouflage/paint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace flowtrain::data::camouflage {
namespace {

using Colour = std::array<double, 3>;
using Palette = std::array<Colour, 3>;  // dark, middle, light

constexpr std::array<Palette, 8> kPalettes = {{
    {{{38, 48, 26}, {92, 104, 58}, {158, 162, 104}}},    // moss
    {{{96, 78, 52}, {166, 142, 100}, {218, 200, 160}}},  // sand
    {{{44, 34, 28}, {100, 80, 64}, {160, 138, 116}}},    // bark
    {{{58, 60, 62}, {118, 118, 116}, {182, 180, 174}}},  // stone
    {{{28, 52, 34}, {74, 112, 66}, {150, 176, 110}}},    // leaves
    {{{30, 50, 62}, {84, 112, 118}, {164, 178, 168}}},   // sea floor
    {{{70, 40, 26}, {142, 92, 52}, {204, 160, 104}}},    // fallen leaves
    {{{84, 84, 70}, {146, 148, 130}, {206, 206, 190}}},  // lichen
}};

constexpr double kColourJitter = 10;  // of 255, either way
constexpr double kHueDrift = 10;      // degrees, standard deviation
constexpr double kPixelNoise = 2;     // of 255, standard deviation

Palette DrawPalette(Rng& rng) {
  Palette palette = kPalettes[rng.Below(kPalettes.size())];
  for (Colour& colour : palette) {
    for (double& channel : colour) channel += rng.Uniform(-kColourJitter, kColourJitter);
  }
  return palette;
}

// t in [0, 1] from the dark colour over the middle one to the light one.
Colour Mix(const Palette& palette, double t) {
  const int part = t < 0.5 ? 0 : 1;
  const double f = 2 * t - part;
  Colour colour;
  for (int c = 0; c < 3; ++c) {
    colour[c] = palette[part][c] + (palette[part + 1][c] - palette[part][c]) * f;
  }
  return colour;
}

// Turns the hue: a rotation about the gray axis, which keeps R + G + B.
Colour TurnHue(const Colour& in, double radians) {
  const double c = std::cos(radians), s = std::sin(radians) / std::numbers::sqrt3;
  const double gray = (in[0] + in[1] + in[2]) / 3 * (1 - c);
  return {gray + c * in[0] + s * (in[2] - in[1]), gray + c * in[1] + s * (in[0] - in[2]),
          gray + c * in[2] + s * (in[1] - in[0])};
}

}  // namespace

std::vector<uint8_t> Painted(Rng& rng, const Plane& texture) {
  const int size = texture.width;
  const Palette palette = DrawPalette(rng);
  const Plane light = SmoothNoise(rng, size, 20), blotches = SmoothNoise(rng, size, 5);
  const Plane hue = SmoothNoise(rng, size, 14);
  std::vector<uint8_t> rgb(3 * texture.values.size());
  for (size_t i = 0; i < texture.values.size(); ++i) {
    const double v = 0.7 * texture.values[i] + 0.35 * light.values[i] + 0.3 * blotches.values[i] +
                     0.04 * Noise(rng);
    const Colour colour = TurnHue(Mix(palette, 0.5 + 0.5 * std::tanh(v)),
                                  hue.values[i] * kHueDrift * std::numbers::pi / 180);
    for (int c = 0; c < 3; ++c) {
      const double value = colour[c] + kPixelNoise * Noise(rng);
      rgb[3 * i + c] = static_cast<uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
    }
  }
  return rgb;
}

}  // namespace flowtrain::data::camouflage
