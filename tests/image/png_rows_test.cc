// The quick way to the rows of a PNG of one channel: right for every filter, depth and cut of the
// data, and never taken where something is wrong.
#include "stages/image/png_rows.h"

#include <doctest/doctest.h>
#include <libdeflate.h>

#include <algorithm>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::image;
using namespace flowtrain::testing;

namespace {

constexpr int kHeight = 19, kWidth = 45;

// The rows, packed; empty where the quick way is not taken.
std::vector<uint8_t> Rows(const FileBytes& png, size_t row_bytes, bool palette = false) {
  const auto data = FindPngData(png, palette);
  if (!data) return {};
  std::vector<uint8_t> scratch(PngRowsScratch(*data, row_bytes, kHeight));
  if (scratch.empty()) return {};
  std::vector<uint8_t> rows(row_bytes * kHeight, 0xCD);
  if (!ReadPngRows(png, *data, scratch, row_bytes, kHeight, rows.data(), row_bytes)) return {};
  return rows;
}

void PutChunk(FileBytes& png, const char* type, std::span<const uint8_t> data) {
  const auto put = [&](size_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) png.push_back(uint8_t(value >> shift));
  };
  put(data.size());
  const size_t start = png.size();
  png.insert(png.end(), type, type + 4);
  png.insert(png.end(), data.begin(), data.end());
  put(libdeflate_crc32(0, png.data() + start, png.size() - start));
}

size_t Find(const FileBytes& png, const char* type) {
  return size_t(std::search(png.begin(), png.end(), type, type + 4) - png.begin()) - 4;
}

// The same picture with its data in pieces of `size` bytes, and another chunk in between if asked.
FileBytes Cut(const FileBytes& png, size_t size, const char* between = nullptr) {
  const size_t at = Find(png, "IDAT"), end = Find(png, "IEND");
  FileBytes cut(png.begin(), png.begin() + std::ptrdiff_t(at));
  const std::span<const uint8_t> data(png.data() + at + 8, end - at - 12);
  for (size_t from = 0; from < data.size(); from += size) {
    if (between && from > 0) PutChunk(cut, between, {});
    PutChunk(cut, "IDAT", data.subspan(from, std::min(size, data.size() - from)));
  }
  PutChunk(cut, "IEND", {});
  return cut;
}

// Has runs, slopes and noise, so that each filter has something to do.
Raster Levels(int depth) {
  Raster levels = Noise(kHeight, kWidth, 1, 77);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      if (y % 3 == 1) levels.at(y, x) = uint8_t(5 * x + y);
      if (y % 3 == 2) levels.at(y, x) = 200;
      levels.at(y, x) &= uint8_t((1 << depth) - 1);
    }
  }
  return levels;
}

std::vector<uint8_t> Packed(const Raster& levels, int depth) {
  const size_t row_bytes = (size_t(kWidth) * depth + 7) / 8;
  std::vector<uint8_t> packed(row_bytes * kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const int bit = x * depth;
      packed[row_bytes * y + bit / 8] |= uint8_t(levels.at(y, x) << (8 - depth - bit % 8));
    }
  }
  return packed;
}

}  // namespace

TEST_CASE("rows come out right for each filter and depth, in one chunk of data or in many") {
  for (const int depth : {1, 2, 4, 8}) {
    const Raster levels = Levels(depth);
    const std::vector<uint8_t> packed = Packed(levels, depth);
    for (int filter = -1; filter <= 4; ++filter) {
      CAPTURE(depth);
      CAPTURE(filter);
      const FileBytes png = MakePng(levels, {.depth = depth, .filter = filter});
      const size_t row_bytes = packed.size() / kHeight;
      CHECK(Rows(png, row_bytes) == packed);
      for (const size_t size : {1, 7, 100}) CHECK(Rows(Cut(png, size), row_bytes) == packed);
    }
  }
}

TEST_CASE("a PNG with any fault in it is left to libspng") {
  const FileBytes png = MakePng(Levels(8), {.filter = 4});
  REQUIRE(!Rows(png, kWidth).empty());
  for (size_t size = 0; size < png.size(); ++size)
    REQUIRE(Rows(FileBytes(png.begin(), png.begin() + std::ptrdiff_t(size)), kWidth).empty());
  for (size_t at = 8; at < png.size(); ++at) {
    FileBytes changed = png;
    changed[at] ^= 0x10;
    CAPTURE(at);
    REQUIRE(Rows(changed, kWidth).empty());
  }
  CHECK(Rows(png, kWidth, true).empty());  // no palette
  CHECK(Rows(png, kWidth - 1).empty());    // more data than the header says
  CHECK(Rows(png, kWidth + 1).empty());
  CHECK(!Rows(Cut(png, 50), kWidth).empty());
  CHECK(!FindPngData(Cut(png, 50, "tIME"), false));  // data in two places
  CHECK(!FindPngData(Cut(png, 50, "CriT"), false));
}

TEST_CASE("no memory is asked for what so little data can't become") {
  const FileBytes png = MakePng(Levels(1), {.depth = 1});
  const auto data = FindPngData(png, false);
  REQUIRE(data);
  CHECK(PngRowsScratch(*data, 6, kHeight) > 0);
  CHECK(PngRowsScratch(*data, 50'000, 50'000) == 0);
}
