#include "bench/made_jpegs.h"

#include <cstdio>  // jpeglib.h needs FILE

#include <jpeglib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <flowtrain/rng.h>

namespace flowtrain::bench {
namespace {

constexpr int kWidth = 500, kHeight = 375;

std::vector<uint8_t> Texture(int number) {
  std::vector<uint8_t> pixels(3 * kWidth * kHeight);
  Rng rng(7, 0, 0, static_cast<uint64_t>(number));
  const double fx = 0.02 + 0.1 * rng.Uniform(), fy = 0.02 + 0.1 * rng.Uniform();
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double wave = 128 + 60 * std::sin(fx * x + fy * y) + 30 * std::cos(fx * y - 2 * fy * x);
      for (int c = 0; c < 3; ++c) {
        pixels[3 * (y * kWidth + x) + c] =
            static_cast<uint8_t>(std::clamp(wave + 10 * c + rng.Uniform(-12, 12), 0.0, 255.0));
      }
    }
  }
  return pixels;
}

File Encode(std::vector<uint8_t> pixels) {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &data, &size);
  jpeg.image_width = kWidth;
  jpeg.image_height = kHeight;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 90, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = &pixels[3 * kWidth * jpeg.next_scanline];
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  File encoded(data, data + size);
  jpeg_destroy_compress(&jpeg);
  std::free(data);
  return encoded;
}

}  // namespace

std::vector<File> MadeJpegs(int count) {
  std::vector<File> files;
  for (int number = 0; number < count; ++number) files.push_back(Encode(Texture(number)));
  return files;
}

std::vector<File> JpegsOf(const std::string& folder, size_t most) {
  std::vector<File> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() != ".jpg" || files.size() == most) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return files;
}

}  // namespace flowtrain::bench
