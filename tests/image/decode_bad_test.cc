// What can't be decoded is a bad sample: told by its path, at once, without memory for its pixels.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

// The reason given; a failure of the test where nothing is thrown.
std::string ReasonFor(Sample sample, const Value& params = {}) {
  StageRunner runner;
  runner.Add(ImagePlugin().Find("image.decode"), params);
  const auto start = std::chrono::steady_clock::now();
  std::string reason = "decoded";
  try {
    runner.Process(sample);
  } catch (const BadSample& e) {
    reason = e.reason();
    CAPTURE(e.what());
    CHECK(std::string(e.what()).find(sample.path) != std::string::npos);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
  return reason;
}

FileBytes Head(FileBytes bytes, size_t size) {
  bytes.resize(size);
  return bytes;
}

Value Tolerate() {
  Value params;
  params.Set("truncated", "tolerate");
  return params;
}

}  // namespace

TEST_CASE("a header that claims too many pixels is refused before memory is taken") {
  FileBytes jpeg = MakeJpeg(Gradient(16, 16));
  const uint8_t frame[] = {0xFF, 0xC0};
  const auto at = std::search(jpeg.begin(), jpeg.end(), frame, frame + 2) + 5;
  const uint8_t size[] = {0xFD, 0xE8, 0xFD, 0xE8};  // 65000 x 65000
  std::copy_n(size, 4, at);
  for (const FileBytes& file :
       {jpeg, HugePngHeader(100'000, 100'000), HugePngHeader(10'001, 10'000)}) {
    Sample sample = MakeSample(file);
    StageRunner runner;
    runner.Add(ImagePlugin().Find("image.decode"));
    CHECK_THROWS_AS(runner.Process(sample), BadSample);
    CHECK(runner.image_bytes() == 0);
    CHECK(runner.scratch_bytes() == 0);
    CHECK(ReasonFor(MakeSample(file)) == "too large");
    // A mask is bounded as well.
    CHECK(ReasonFor(MakeSample(MakeJpeg(Gradient(8, 8)), file)) == "too large");
  }
  Value bound;
  bound.Set("max_pixels", 256);
  CHECK(ReasonFor(MakeSample(MakePng(Gradient(16, 17))), bound) == "too large");
  CHECK(ReasonFor(MakeSample(MakePng(Gradient(16, 16))), bound) == "decoded");
}

TEST_CASE("other formats, garbage and nothing are refused by content") {
  CHECK(ReasonFor(MakeSample({})) == "empty file");
  CHECK(ReasonFor(MakeSample({0})) == "unsupported format");
  CHECK(ReasonFor(MakeSample({'B', 'M', 1, 2, 3, 4, 5, 6})) == "unsupported format");
  const Raster noise = Noise(1, 4000, 1, 11);
  CHECK(ReasonFor(MakeSample(noise.values)) == "unsupported format");
  FileBytes garbage = noise.values;
  garbage[0] = 0xFF, garbage[1] = 0xD8, garbage[2] = 0xFF;
  CHECK(ReasonFor(MakeSample(garbage)) != "decoded");
  Sample webp = MakeSample({'R', 'I', 'F', 'F', 9, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8', ' '},
                           {}, "x.jpg");
  StageRunner runner;
  runner.Add(ImagePlugin().Find("image.decode"));
  CHECK_THROWS_WITH_AS(
      runner.Process(webp),
      doctest::Contains("x.jpg: the image is WebP; JPEG, PNG and binary PPM and PGM are supported"),
      BadSample);
}

TEST_CASE("a file cut anywhere is a bad sample") {
  const FileBytes baseline = MakeJpeg(Noise(64, 64, 3, 1)),
                  progressive = MakeJpeg(Noise(64, 64, 3, 1), {.progressive = true});
  const FileBytes png = MakePng(Noise(64, 64, 3, 1)),
                  interlaced = MakePng(Noise(64, 64, 3, 1), {.interlaced = true});
  for (const FileBytes* file : {&baseline, &progressive, &png, &interlaced}) {
    for (size_t percent = 1; percent <= 95; percent += 6) {
      CAPTURE(percent);
      CHECK(ReasonFor(MakeSample(Head(*file, file->size() * percent / 100))) != "decoded");
    }
    CHECK(ReasonFor(MakeSample(Head(*file, file->size() * 3 / 4))) == "truncated");
  }
}

TEST_CASE("truncated files are filled where the policy tolerates them, and warned of") {
  for (const FileBytes& file : {MakeJpeg(Noise(64, 64, 3, 1)), MakePng(Noise(64, 64, 3, 1))}) {
    const Decoded whole = DecodeWith({}, MakeSample(file));
    const Decoded half = DecodeWith(Tolerate(), MakeSample(Head(file, file.size() * 3 / 4)));
    CHECK(Cropped(half.image, 0, 0, 64, 16) == Cropped(whole.image, 0, 0, 64, 16));
    REQUIRE(!half.warnings.empty());
    CHECK(half.warnings[0].find("a/picture.jpg") != std::string::npos);
    // A header alone is nothing to fill.
    CHECK(ReasonFor(MakeSample(Head(file, 30)), Tolerate()) != "decoded");
  }
}

TEST_CASE("a truncated JPEG whose missing part is not wanted decodes") {
  const FileBytes file = MakeJpeg(Noise(64, 64, 3, 1));
  const View upper{.region = {0, 0, 1, 0.25}};
  const Decoded part = DecodeWith({}, MakeSample(Head(file, file.size() * 3 / 4)), upper);
  CHECK(part.image == DecodeWith({}, MakeSample(file), upper).image);
  CHECK(part.warnings.empty());
}

TEST_CASE("a wrong checksum in a PNG is a bad sample") {
  FileBytes png = MakePng(Noise(32, 32, 3, 1));
  const uint8_t type[] = {'I', 'E', 'N', 'D'};
  const auto end = std::search(png.begin(), png.end(), type, type + 4);
  *(end - 5) ^= 1;  // the last byte of the checksum of the chunk before
  CHECK(ReasonFor(MakeSample(png)) == "corrupt");
}

TEST_CASE("junk between markers is warned of, with the path, and the picture decodes") {
  FileBytes jpeg = MakeJpeg(Gradient(40, 40));
  const FileBytes clean = jpeg;
  const uint8_t tables[] = {0xFF, 0xDB};
  jpeg.insert(std::search(jpeg.begin(), jpeg.end(), tables, tables + 2), {1, 2, 3});
  const Decoded decoded = DecodeWith({}, MakeSample(jpeg));
  CHECK(decoded.image == DecodeImage(clean));
  REQUIRE(decoded.warnings.size() == 1);
  CHECK(decoded.warnings[0].find("a/picture.jpg") != std::string::npos);
  CHECK(decoded.warnings[0].find("extraneous") != std::string::npos);
}

TEST_CASE("a JPEG that is faulty in hundreds of ways is told of by the first few") {
  FileBytes jpeg = MakeJpeg(Gradient(40, 40));
  const FileBytes clean = jpeg;
  FileBytes junk;
  for (size_t i = 1; i <= 300; ++i) {
    junk.insert(junk.end(), i, 1);
    junk.insert(junk.end(), {0xFF, 0xFE, 0, 2});  // an empty comment
  }
  const uint8_t tables[] = {0xFF, 0xDB};
  jpeg.insert(std::search(jpeg.begin(), jpeg.end(), tables, tables + 2), junk.begin(), junk.end());
  const Decoded decoded = DecodeWith({}, MakeSample(jpeg));
  CHECK(decoded.image == DecodeImage(clean));
  CHECK(decoded.warnings.size() == 8);
}

TEST_CASE("a progressive JPEG of thousands of scans is refused") {
  FileBytes jpeg = MakeJpeg(Gradient(16, 16), {.progressive = true});
  const uint8_t scan[] = {0xFF, 0xDA};
  const auto first = std::search(jpeg.begin(), jpeg.end(), scan, scan + 2);
  auto end = first + 2;
  while (end[0] != 0xFF || end[1] == 0) ++end;
  const FileBytes repeated(first, end);
  FileBytes many;
  for (int i = 0; i < 5000; ++i) many.insert(many.end(), repeated.begin(), repeated.end());
  jpeg.insert(end, many.begin(), many.end());
  CHECK(ReasonFor(MakeSample(jpeg)) == "too many scans");
}

TEST_CASE("pictures of one pixel, one row and one column decode") {
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 999}, {999, 1}}) {
    const Raster raster = Gradient(height, width);
    CHECK(MaxDifference(DecodeImage(MakeJpeg(raster, {.quality = 100})), raster) <= 8);
    CHECK(DecodeImage(MakePng(raster)) == raster);
    const Raster part = DecodeImage(MakeJpeg(raster),
                                    {.region = {0.99, 0.99, 0.01, 0.01}, .height = 4, .width = 4});
    CHECK(part.height >= 1);
  }
}
