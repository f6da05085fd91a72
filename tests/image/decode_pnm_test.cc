// Binary PGM and PPM files become RGB, or masks.
#include <doctest/doctest.h>

#include <cmath>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

FileBytes Pnm(const std::string& header, const std::vector<uint8_t>& samples) {
  FileBytes bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), samples.begin(), samples.end());
  return bytes;
}

std::string ReasonFor(const FileBytes& bytes) {
  try {
    DecodeImage(bytes);
  } catch (const BadSample& e) {
    CHECK(std::string(e.what()).find("a/picture.jpg") != std::string::npos);
    return e.reason();
  }
  return "decoded";
}

}  // namespace

TEST_CASE("a PPM keeps every value, and a PGM has three equal channels") {
  const Raster raster = Noise(12, 17, 3, 3), gray = Noise(12, 17, 1, 4);
  CHECK(DecodeImage(Pnm("P6 17 12 255\n", raster.values)) == raster);
  CHECK(DecodeImage(Pnm("P6\n# made by hand 1 2 3\n17\t12\r\n255\n", raster.values)) == raster);
  const Raster decoded = DecodeImage(Pnm("P5\n17 12\n255\n", gray.values));
  for (int i = 0; i < 12 * 17; ++i) {
    for (int c = 0; c < 3; ++c) REQUIRE(decoded.values[3 * i + c] == gray.values[i]);
  }
  const Decoded part = DecodeWith({}, MakeSample(Pnm("P6 17 12 255\n", raster.values)),
                                  {.region = {0.25, 0.5, 0.5, 0.25}});
  CHECK(part.image == Cropped(raster, 4, 6, 9, 3));
}

TEST_CASE("levels of a PGM are spread over 0 to 255, of one byte and of two") {
  CHECK(DecodeImage(Pnm("P5 3 1 15\n", {0, 8, 15})).values ==
        std::vector<uint8_t>{0, 0, 0, 136, 136, 136, 255, 255, 255});
  CHECK(DecodeImage(Pnm("P5 2 1 65535\n", {0x80, 0, 0xFF, 0xFF})).values ==
        std::vector<uint8_t>{128, 128, 128, 255, 255, 255});
}

TEST_CASE("a PGM is a mask like any other") {
  const auto mask = [](const FileBytes& bytes) {
    return DecodeWith({}, MakeSample(MakePng(Gradient(1, 2)), bytes)).mask.values;
  };
  const std::vector<uint8_t> right = {0, 255};
  CHECK(mask(Pnm("P5 2 1 255\n", {128, 129})) == right);
  CHECK(mask(Pnm("P5 2 1 255\n", {0, 1})) == right);
  CHECK(mask(Pnm("P5 2 1 1\n", {0, 1})) == right);
  CHECK(mask(Pnm("P5 2 1 65535\n", {0, 0, 0, 1})) == right);
  CHECK(mask(Pnm("P6 2 1 255\n", {0, 255, 255, 255, 0, 0})) == right);
}

TEST_CASE("a PPM that lies is a bad sample") {
  const std::vector<uint8_t> six(6, 9);
  CHECK(ReasonFor(Pnm("P6 2 1 255\n", six)) == "decoded");
  CHECK(ReasonFor(Pnm("P6 2 2 255\n", six)) == "truncated");
  CHECK(ReasonFor(Pnm("P6 2", {})) == "truncated");
  CHECK(ReasonFor(Pnm("P6 0 1 255\n", six)) == "corrupt");
  CHECK(ReasonFor(Pnm("P6 2 1 0\n", six)) == "corrupt");
  CHECK(ReasonFor(Pnm("P6 2 1 70000\n", six)) == "corrupt");
  CHECK(ReasonFor(Pnm("P6 two 1 255\n", six)) == "corrupt");
  CHECK(ReasonFor(Pnm("P6 -2 1 255\n", six)) == "corrupt");
  CHECK(ReasonFor(Pnm("P6 99999999999 1 255\n", six)) == "corrupt");
  CHECK(ReasonFor(Pnm("P6 99999999 99999999 255\n", six)) == "too large");
  CHECK(ReasonFor(Pnm("P3 2 1 255\n", six)) == "unsupported format");
  Value tolerate;
  tolerate.Set("truncated", "tolerate");
  const Decoded half = DecodeWith(tolerate, MakeSample(Pnm("P6 2 2 255\n", six)));
  CHECK(half.image.values == std::vector<uint8_t>{9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0});
  CHECK(half.warnings.size() == 1);
}

TEST_CASE("comments and white space stand in a PNM's header wherever netpbm allows them") {
  const std::vector<uint8_t> six = {1, 2, 3, 4, 5, 6};
  for (const char* header : {
           "P6 2 1 255\n",
           "P6\n2\n1\n255\n",
           "P6\t2\v1\f255\r",
           "P6  \r\n 2 \t 1\n\n255 ",
           "P6#one\n2 1 255\n",
           "P6\n# one\n# two\n2 1\n# three\n255\n",
           "P6 2# behind a number\n 1 255\n",
           "P6 # until a carriage return\r2 1 255\n",
           "P6 2 1 255# behind white\n\n",
           "P6 2 1 2#in the midst of a number\n55\n",
           "P6 0002 01 000000000255\n",
           "P6 2 1 # 255 #\n#\n255\n",
       }) {
    CAPTURE(header);
    CHECK(DecodeImage(Pnm(header, six)).values == six);
  }
  // One white space ends the header: what follows is samples, whatever it looks like.
  CHECK(DecodeImage(Pnm("P6 2 1 255\n", {'#', '\n', ' ', '\n', '1', '#'})).values ==
        std::vector<uint8_t>{'#', '\n', ' ', '\n', '1', '#'});
  // Another picture may follow, which is not looked at.
  CHECK(DecodeImage(Pnm("P6 2 1 255\n", {1, 2, 3, 4, 5, 6, 'P', '6'})).values == six);
}

TEST_CASE("a header of a PNM that breaks netpbm's rules is a bad sample") {
  const std::vector<uint8_t> six(6, 9);
  for (const char* header : {"P62 1 255\n", "P6x2 1 255\n", "P6 2x 1 255\n", "P6 2,1 255\n",
                             "P6 2 1 255.0\n", "P6 +2 1 255\n", "P6 2 1 0x7\n", "P6 2 1 65536\n",
                             "P6 2 1 4294967551\n", "P6 4294967298 1 255\n", "P6 2 0 255\n"}) {
    CAPTURE(header);
    CHECK(ReasonFor(Pnm(header, six)) == "corrupt");
  }
  for (const char* header : {"P6", "P6 ", "P6 2 1", "P6 2 1 255", "P6 2 1 255#", "P6 2 1 255#\n",
                             "P6 # no end", "P5\n2 1\n255\n"}) {
    CAPTURE(header);
    CHECK(ReasonFor(Pnm(header, {})) == "truncated");
  }
}

TEST_CASE(
    "samples of a PNM are scaled by its white, one byte or two of them, the upper one first") {
  for (const int white : {1, 2, 100, 254, 255, 256, 1000, 32768, 65535}) {
    CAPTURE(white);
    std::vector<uint8_t> samples, expected;
    for (int i = 0; i < 6; ++i) {
      const int value = white * i / 5;
      if (white > 255) samples.push_back(uint8_t(value >> 8));
      samples.push_back(uint8_t(value));
      expected.push_back(uint8_t(std::lround(255.0 * value / white)));
    }
    const FileBytes file = Pnm("P6 2 1 " + std::to_string(white) + "\n", samples);
    CHECK(DecodeImage(file).values == expected);
    CHECK(ReasonFor(FileBytes(file.begin(), file.end() - 1)) == "truncated");
  }
  // Beyond white is white.
  CHECK(DecodeImage(Pnm("P5 2 1 100\n", {101, 255})).values == std::vector<uint8_t>(6, 255));
}
