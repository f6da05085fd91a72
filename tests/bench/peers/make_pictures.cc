// Files to load where no data is at hand, in the layouts of run_peers.py's --data:
//   make_pictures FOLDER
// 16 photographs' like in the ImageNet layout (500 x 375), 16 pairs in the COD10K layout (JPEG and
// PNG mask, 854 x 480).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "bench/made_jpegs.h"
#include "image/made_files.h"

namespace {

namespace fs = std::filesystem;
using flowtrain::testing::Raster;

constexpr int kPictures = 16;

void Write(const fs::path& path, const std::vector<uint8_t>& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

bool Inside(int x, int y, int number) {
  const double u = (x - 200.0 - 25 * number) / 150, v = (y - 240) / 120.0;
  return u * u + v * v < 1;
}

// Waves with noise, as much of it as leaves a video frame's size, an ellipse brighter than the
// rest.
Raster Frame(int number) {
  Raster frame = flowtrain::testing::Noise(480, 854, 3, static_cast<uint32_t>(number));
  for (int y = 0; y < frame.height; ++y) {
    for (int x = 0; x < frame.width; ++x) {
      const double wave = 110 + 60 * std::sin(0.03 * x + (0.01 + 0.002 * number) * y);
      for (int c = 0; c < 3; ++c) {
        const double value = wave + frame.at(y, x, c) / 12.0 + (Inside(x, y, number) ? 40 : 0);
        frame.at(y, x, c) = static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
  }
  return frame;
}

Raster Mask(int number) {
  Raster mask(480, 854, 1);
  for (int y = 0; y < mask.height; ++y)
    for (int x = 0; x < mask.width; ++x) mask.at(y, x) = Inside(x, y, number) ? 255 : 0;
  return mask;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_pictures FOLDER\n";
    return 2;
  }
  const fs::path folder = argv[1];
  const auto photographs = flowtrain::bench::MadeJpegs(kPictures);
  for (int number = 0; number < kPictures; ++number) {
    const std::string name = "made-" + std::to_string(number);
    Write(folder / "imagenet/train/n00000000" / (name + ".JPEG"), photographs[number]);
    Write(folder / "davis/Train/Image" / (name + ".jpg"),
          flowtrain::testing::MakeJpeg(Frame(number), {.quality = 90}));
    Write(folder / "davis/Train/GT_Object" / (name + ".png"),
          flowtrain::testing::MakePng(Mask(number)));
  }
  return 0;
}
