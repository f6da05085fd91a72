// One line to augment a made picture. For tests.
#pragma once

#include <initializer_list>
#include <utility>

#include "image/decoding.h"

namespace flowtrain::testing {

inline Value Op(const char* op, std::initializer_list<std::pair<const char*, Value>> members) {
  Value value;
  value.Set("op", op);
  for (const auto& [key, member] : members) value.Set(key, member);
  return value;
}

inline Value Params(int height, int width, Value::List ops, bool antialias = true) {
  Value params;
  params.Set("size", Value::List{height, width});
  params.Set("ops", std::move(ops));
  params.Set("antialias", antialias);
  return params;
}

struct Augmented {
  Raster image, mask;
};

// decode -> augment of PNG files.
inline Augmented Augment(const Value& params, const Raster& image, const Raster& mask,
                         uint64_t position = 0, uint64_t seed = 42) {
  StageRunner runner(seed);
  runner.Add(ImagePlugin().Find("image.decode")).Add(ImagePlugin().Find("image.augment"), params);
  Sample sample = MakeSample(MakePng(image), MakePng(mask));
  sample.id.position = position;
  runner.Process(sample);
  return {Copy(sample.image("image")), Copy(sample.image("mask"))};
}

// Augments pixels that are whole when they arrive: no decoder has asked what is wanted.
Augmented AugmentPixels(const Value& params, const Raster& image, const Raster& mask,
                        uint64_t position);

// What augment asks a decoder for.
inline View Planned(const Value& params, const Raster& image, uint64_t position) {
  StageRunner runner;
  runner.Add(ImagePlugin().Find("image.decode")).Add(ImagePlugin().Find("image.augment"), params);
  Sample sample = MakeSample(MakePng(image));
  sample.id.position = position;
  runner.Process(sample);
  return *runner.planned();
}

inline Raster BinaryNoise(int height, int width) {
  Raster mask = Noise(height, width, 1, 99);
  for (uint8_t& value : mask.values) value = value & 64 ? 255 : 0;
  return mask;
}

}  // namespace flowtrain::testing
