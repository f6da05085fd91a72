// What a file may cost: its sides, its scans, and how much of it has to be there.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "image/augmenting.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

struct Ending {
  std::string reason = "decoded", what;
  size_t bytes = 0;    // of memory asked for
  double seconds = 0;  // of CPU time
};

Ending Decoding(Sample sample, const Value& params = {}, const View& wanted = {}) {
  StageRunner runner;
  runner.Add(ImagePlugin().Find("image.decode"), params).Want(wanted);
  const std::clock_t start = std::clock();
  Ending ending;
  try {
    runner.Process(sample);
  } catch (const BadSample& bad) {
    ending.reason = bad.reason();
    ending.what = bad.what();
  }
  ending.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ending.bytes = runner.image_bytes() + runner.scratch_bytes();
  return ending;
}

Value Tolerating() {
  Value params;
  params.Set("truncated", "tolerate");
  return params;
}

FileBytes Text(const std::string& text, size_t more = 0) {
  FileBytes bytes(text.begin(), text.end());
  bytes.resize(bytes.size() + more, 7);
  return bytes;
}

FileBytes FirstOf(FileBytes bytes, double share) {
  bytes.resize(static_cast<size_t>(static_cast<double>(bytes.size()) * share));
  return bytes;
}

// A progressive JPEG of one component and no detail: the one scan that a picture needs, then as
// many empty ones as wanted, each of a few bytes.
FileBytes ManyScans(int width, int height, int scans, bool refining) {
  FileBytes jpeg = {0xFF, 0xD8};
  const auto segment = [&](uint8_t marker, const FileBytes& data) {
    const size_t size = data.size() + 2;
    jpeg.insert(jpeg.end(), {0xFF, marker, uint8_t(size >> 8), uint8_t(size)});
    jpeg.insert(jpeg.end(), data.begin(), data.end());
  };
  FileBytes table(65, 8);
  table[0] = 0;
  segment(0xDB, table);
  segment(0xC2, {8, uint8_t(height >> 8), uint8_t(height), uint8_t(width >> 8), uint8_t(width), 1,
                 1, 0x11, 0});
  FileBytes codes(18, 0);  // one code, a single 0
  codes[1] = 1;
  segment(0xC4, codes);               // DC: no difference
  codes[0] = 0x10, codes[17] = 0xE0;  // AC: a run of up to 32767 blocks that end here
  segment(0xC4, codes);
  const int blocks = ((width + 7) / 8) * ((height + 7) / 8);
  segment(0xDA, {1, 1, 0, 0, 0, 1});
  jpeg.insert(jpeg.end(), (blocks + 7) / 8, 0);
  for (int scan = 1; scan < scans; ++scan) {
    segment(0xDA, {1, 1, 0, 1, 63, uint8_t(refining ? 0x10 : 1)});
    uint32_t bits = 0;
    int count = 0;
    for (int run = 0; run < (blocks + 32766) / 32767; ++run) {
      bits = bits << 15 | 0x3FFF, count += 15;
      for (; count >= 8; count -= 8) {
        jpeg.push_back(uint8_t(bits >> (count - 8)));
        if (jpeg.back() == 0xFF) jpeg.push_back(0);
      }
    }
    if (count > 0) jpeg.push_back(uint8_t((bits << (8 - count)) & 0x7F));
  }
  jpeg.insert(jpeg.end(), {0xFF, 0xD9});
  return jpeg;
}

}  // namespace

TEST_CASE("a side beyond 65500 pixels is refused before memory is taken, whatever the format") {
  for (const FileBytes& file :
       {HugePngHeader(100'000'000, 1), HugePngHeader(1, 100'000'000), HugePngHeader(65'501, 1),
        Text("P5 100000000 1 255\n", 1000), Text("P6 1 65501 255\n", 3 * 65'501)}) {
    const Ending ending = Decoding(MakeSample(file));
    CAPTURE(ending.what);
    CHECK(ending.reason == "too large");
    CHECK(ending.what.find("a side has at most 65500") != std::string::npos);
    CHECK(ending.bytes == 0);
    CHECK(Decoding(MakeSample(MakePng(Gradient(4, 4)), file)).reason == "too large");
  }
  CHECK(Decoding(MakeSample(MakePng(Raster(1, 65'500, 3)))).reason == "decoded");
  CHECK(Decoding(MakeSample(Text("P5 1 65500 255\n", 65'500))).reason == "decoded");
}

TEST_CASE("the longest picture is scaled in a few MB and a moment, and to its mean") {
  for (const bool wide : {true, false}) {
    // All 200 but for the first pixel and those in the middle, which a filter with too few bits
    // would take alone.
    Raster image(wide ? 1 : 65'500, wide ? 65'500 : 1, 3, 200);
    for (int i = -3; i <= 3; ++i) std::fill_n(image.values.begin() + 3 * (32'750 + i), 3, 0);
    std::fill_n(image.values.begin(), 3, 0);
    for (const auto& [height, width] : {std::pair{1, 1}, {352, 352}, {2000, 3}}) {
      CAPTURE(height);
      StageRunner runner;
      runner.Add(ImagePlugin().Find("image.decode"))
          .Add(ImagePlugin().Find("image.augment"), Params(height, width, {}));
      Sample sample = MakeSample(MakePng(image));
      const auto start = std::chrono::steady_clock::now();
      runner.Process(sample);
      CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
      CHECK(runner.scratch_bytes() < 4u << 20);
      if (height == 1) CHECK(std::abs(Copy(sample.image("image")).at(0, 0) - 200) <= 1);
    }
  }
}

TEST_CASE(
    "a header that promises what so few bytes can't hold is a bad sample, also if tolerated") {
  FileBytes png = HugePngHeader(10'000, 10'000);
  png.insert(png.end(), 200, 0);
  FileBytes jpeg = MakeJpeg(Noise(16, 160, 3, 1));
  const uint8_t frame[] = {0xFF, 0xC0};
  const uint8_t size[] = {0x27, 0x10, 0x27, 0x10};  // 10000 x 10000
  std::copy_n(size, 4, std::search(jpeg.begin(), jpeg.end(), frame, frame + 2) + 5);
  for (const FileBytes& file : {png, jpeg, Text("P6 10000 10000 255\n", 200)}) {
    for (const Value& params : {Value(), Tolerating()}) {
      const Ending ending = Decoding(MakeSample(file), params);
      CAPTURE(ending.what);
      CHECK(ending.reason == "truncated");
      CHECK(ending.what.find("a/picture.jpg: ") == 0);
      CHECK(ending.bytes == 0);
      CHECK(Decoding(MakeSample(MakePng(Gradient(4, 4)), file), params).reason == "truncated");
    }
  }
}

TEST_CASE("of a truncated file a quarter of the wanted rows must be there to be filled up") {
  const Raster noise = Noise(160, 160, 3, 1);  // libspng takes 8 KiB at a time
  const FileBytes pnm = Text("P6 160 160 255\n", 160 * 160 * 3);
  const View upper{.region = {0, 0, 1, 0.25}}, lower{.region = {0, 0.75, 1, 0.25}};
  for (const FileBytes& file : {MakeJpeg(noise), MakePng(noise), pnm}) {
    CHECK(Decoding(MakeSample(FirstOf(file, 0.15)), Tolerating()).reason == "truncated");
    CHECK(
        Decoding(MakeSample(FirstOf(file, 0.15)), Tolerating()).what.find("less than a quarter") !=
        std::string::npos);
    CHECK(Decoding(MakeSample(FirstOf(file, 0.4)), Tolerating()).reason == "decoded");
    // What counts is the part that is wanted.
    CHECK(Decoding(MakeSample(FirstOf(file, 0.4)), Tolerating(), upper).reason == "decoded");
    CHECK(Decoding(MakeSample(FirstOf(file, 0.4)), Tolerating(), lower).reason == "truncated");
    CHECK(Decoding(MakeSample(file, FirstOf(file, 0.15)), Tolerating()).reason == "truncated");
    CHECK(Decoding(MakeSample(file, FirstOf(file, 0.4)), Tolerating()).reason == "decoded");
  }
  // Finer and finer: of an interlaced PNG a quarter of the pixels, of a progressive JPEG one scan.
  const FileBytes interlaced = MakePng(noise, {.interlaced = true}),
                  progressive = MakeJpeg(noise, {.progressive = true});
  CHECK(Decoding(MakeSample(FirstOf(interlaced, 0.15)), Tolerating()).reason == "truncated");
  CHECK(Decoding(MakeSample(FirstOf(interlaced, 0.4)), Tolerating()).reason == "decoded");
  CHECK(Decoding(MakeSample(FirstOf(progressive, 0.4)), Tolerating()).reason == "decoded");
  // A piece that is missing between restart markers leaves what comes behind it.
  FileBytes restarts = MakeJpeg(noise, {.restart_rows = 1});
  const uint8_t first[] = {0xFF, 0xD0}, second[] = {0xFF, 0xD1};
  const auto from = std::search(restarts.begin(), restarts.end(), first, first + 2) + 2;
  restarts.erase(from + 4, std::search(from, restarts.end(), second, second + 2));
  CHECK(Decoding(MakeSample(restarts)).reason == "truncated");
  CHECK(Decoding(MakeSample(restarts), Tolerating()).reason == "decoded");
}

TEST_CASE("a progressive JPEG may have as many scans as take a second") {
  struct Scans {
    int side, scans;
    const char* reason;
  };
  for (const Scans& s : {Scans{64, 100, "decoded"},
                         {64, 101, "too many scans"},
                         {6000, 27, "decoded"},  // 36 Mpixel
                         {6000, 28, "too many scans"},
                         {6000, 3000, "too many scans"},
                         {9000, 20, "decoded"},
                         {9000, 21, "too many scans"}}) {
    for (const bool refining : {false, true}) {
      if (refining && s.side == 9000) continue;  // a second more
      CAPTURE(s.side);
      CAPTURE(s.scans);
      const View little{.region = {0, 0, 1, 1}, .height = 8, .width = 8};
      const Ending ending =
          Decoding(MakeSample(ManyScans(s.side, s.side, s.scans, refining)), {}, little);
      CHECK(ending.reason == s.reason);
      if (ending.reason != "decoded") {
        CHECK(ending.what.find("a/picture.jpg: more than the ") == 0);
        CHECK(ending.what.find(std::to_string(s.side) + " x ") != std::string::npos);
      }
      MESSAGE(s.side << " x " << s.side << ", " << s.scans
                     << std::string(refining ? " refining" : "") << " scans: " << ending.reason
                     << " in " << ending.seconds << " s");
      CHECK(ending.seconds < 3);
    }
  }
}
