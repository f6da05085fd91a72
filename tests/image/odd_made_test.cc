// Files of the kinds that break decoders, made here: each decodes to its colours, or is refused for
// its reason, with its path, at once. What happens to files cut short is in decode_bad_test.cc.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

constexpr int kHeight = 40, kWidth = 56;
const Raster kPicture = Gradient(kHeight, kWidth);

struct Odd {
  std::string name;
  FileBytes bytes;
  std::string reason = {};  // empty: it decodes
  int tag = 1;              // and is shown as this EXIF tag says
  int tolerance = 6;        // of each half's mean colour
  bool warns = false;
};

// Where `marker` stands in a JPEG, by its second byte.
FileBytes::iterator Marker(FileBytes& jpeg, uint8_t marker) {
  const uint8_t code[] = {0xFF, marker};
  return std::search(jpeg.begin(), jpeg.end(), code, code + 2);
}

FileBytes With(FileBytes bytes, const std::function<void(FileBytes&)>& change) {
  change(bytes);
  return bytes;
}

Raster Inks() {
  // Complement of the ink: light on each plate, and no black.
  Raster inks(kHeight, kWidth, 4, 255);
  for (int i = 0; i < kHeight * kWidth; ++i)
    std::copy_n(&kPicture.values[3 * i], 3, &inks.values[4 * i]);
  return inks;
}

// The chunk of this type: from its length to its checksum.
void DropChunk(FileBytes& png, const char* type) {
  const auto at = std::search(png.begin(), png.end(), type, type + 4);
  const size_t length = size_t(at[-4]) << 24 | at[-3] << 16 | at[-2] << 8 | at[-1];
  png.erase(at - 4, at + 8 + std::ptrdiff_t(length));
}

std::vector<Odd> OddFiles() {
  const FileBytes jpeg = MakeJpeg(kPicture), png = MakePng(kPicture);
  std::vector<Odd> odd;
  for (int tag = 1; tag <= 8; ++tag)
    odd.push_back({"EXIF orientation", MakeJpeg(kPicture, {.exif = tag}), "", tag});
  odd.push_back({"an EXIF tag out of range", MakeJpeg(kPicture, {.exif = 77})});
  odd.push_back({"an EXIF directory beyond the block",
                 With(MakeJpeg(kPicture, {.exif = 6}),
                      [](FileBytes& b) { Marker(b, 0xE1)[4 + 6 + 4] = 0xFF; })});
  odd.push_back({"CMYK of Adobe", MakeJpeg(Inks()), "", 1, 8});
  odd.push_back({"YCCK of Adobe", MakeJpeg(Inks(), {.ycck = true}), "", 1, 8});
  odd.push_back({"progressive CMYK", MakeJpeg(Inks(), {.progressive = true}), "", 1, 8});
  odd.push_back({"restart markers", MakeJpeg(kPicture, {.restart_rows = 1})});
  odd.push_back({"arithmetic coding", MakeJpeg(kPicture, {.arithmetic = true})});
  odd.push_back({"chroma at a quarter", MakeJpeg(kPicture, {.h_sampling = 4, .v_sampling = 2})});
  odd.push_back({"a PNG by another name", png});
  odd.push_back({"a PNG with bytes behind its end",
                 With(png, [](FileBytes& b) { b.resize(b.size() + 99); })});
  odd.push_back({"an interlaced PNG", MakePng(kPicture, {.interlaced = true})});
  odd.push_back(
      {"bytes behind a JPEG's end", With(jpeg, [](FileBytes& b) { b.insert(b.end(), 99, 0xFF); })});
  odd.push_back({"junk before a JPEG's tables",
                 With(jpeg,
                      [](FileBytes& b) {
                        b.insert(Marker(b, 0xDB), {7, 7, 7});
                      }),
                 "", 1, 6, true});

  odd.push_back({"12 bits a sample", With(jpeg, [](FileBytes& b) { Marker(b, 0xC0)[4] = 12; }),
                 "unsupported format"});
  odd.push_back({"lossless JPEG", With(jpeg, [](FileBytes& b) { Marker(b, 0xC0)[1] = 0xC3; }),
                 "unsupported format"});
  odd.push_back({"no height",
                 With(jpeg,
                      [](FileBytes& b) {
                        const auto frame = Marker(b, 0xC0);
                        frame[5] = frame[6] = 0;
                      }),
                 "corrupt"});
  odd.push_back({"65535 x 65535 in a small file",
                 With(jpeg, [](FileBytes& b) { std::fill_n(Marker(b, 0xC0) + 5, 4, 0xFF); }),
                 "too large"});
  odd.push_back({"a Huffman table of too many codes",
                 With(jpeg, [](FileBytes& b) { std::fill_n(Marker(b, 0xC4) + 5, 16, 0xFF); }),
                 "corrupt"});
  odd.push_back({"no scan",
                 With(jpeg,
                      [](FileBytes& b) {
                        b.erase(Marker(b, 0xDA), b.end());
                        b.insert(b.end(), {0xFF, 0xD9});
                      }),
                 "corrupt"});
  odd.push_back({"only a JPEG's first marker", {0xFF, 0xD8, 0xFF}, "truncated"});
  odd.push_back({"an empty file", {}, "empty file"});
  odd.push_back(
      {"a BMP", With(png, [](FileBytes& b) { b[0] = 'B', b[1] = 'M'; }), "unsupported format"});
  odd.push_back({"a GIF", {'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0}, "unsupported format"});
  odd.push_back({"a PNG whose first byte lost a bit", With(png, [](FileBytes& b) { b[0] = 0x09; }),
                 "unsupported format"});
  odd.push_back(
      {"a colour type that there is not", With(png, [](FileBytes& b) { b[25] = 1; }), "corrupt"});
  odd.push_back(
      {"a PNG without data", With(png, [](FileBytes& b) { DropChunk(b, "IDAT"); }), "corrupt"});
  odd.push_back(
      {"a PNG without a header", With(png, [](FileBytes& b) { DropChunk(b, "IHDR"); }), "corrupt"});
  odd.push_back({"a data stream of another length",
                 With(png, [](FileBytes& b) { b[b.size() / 2] ^= 0x55; }), "corrupt"});
  odd.push_back({"100000 x 100000 in 33 bytes", HugePngHeader(100'000, 100'000), "too large"});
  return odd;
}

void CheckColours(const Raster& image, const Odd& odd) {
  const Raster expected = Shown(kPicture, odd.tag);
  REQUIRE(image.height == expected.height);
  REQUIRE(image.width == expected.width);
  const int width = image.width / 2, height = image.height / 2;
  for (const auto& [x, y] : {std::pair{0, 0}, {width, 0}, {0, height}, {width, height}}) {
    for (int c = 0; c < 3; ++c) {
      CHECK(std::abs(Mean(Cropped(image, x, y, width, height), c) -
                     Mean(Cropped(expected, x, y, width, height), c)) <= odd.tolerance);
    }
  }
}

}  // namespace

TEST_CASE("each made file of an odd kind decodes, or is refused for its reason") {
  for (const Odd& odd : OddFiles()) {
    CAPTURE(odd.name);
    CAPTURE(odd.tag);
    StageRunner runner;
    runner.Add(ImagePlugin().Find("image.decode"));
    Sample sample = MakeSample(odd.bytes, {}, "odd/\xC3\xA4 file.jpg");
    std::string reason;
    const auto start = std::chrono::steady_clock::now();
    try {
      runner.Process(sample);
    } catch (const BadSample& e) {
      reason = e.reason();
      CAPTURE(e.what());
      CHECK(std::string(e.what()).find(sample.path) == 0);
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
    CHECK(reason == odd.reason);
    CHECK(runner.warnings().empty() == !odd.warns);
    if (reason.empty() && odd.reason.empty()) CheckColours(Copy(sample.image("image")), odd);
  }
}
