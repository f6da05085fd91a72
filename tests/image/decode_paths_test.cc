// Whatever is at fault with a file, and wherever: it is a bad sample, and told by the file's path.
#include <doctest/doctest.h>

#include <cctype>
#include <set>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

constexpr char kImagePath[] = "images/\xC3\xA4 one.jpg", kMaskPath[] = "masks/one.png";

// Messages without their numbers, so that kinds can be counted.
std::string Kind(std::string message) {
  std::erase_if(message, [](unsigned char c) { return std::isdigit(c) != 0; });
  return message;
}

class Told {
 public:
  // Decodes `file` as an image, or as the mask of a sound one.
  void Try(const FileBytes& file, bool as_mask, const char* truncated) {
    Value params;
    params.Set("truncated", truncated);
    params.Set("max_pixels", 5000);
    StageRunner runner;
    runner.Add(ImagePlugin().Find("image.decode"), params);
    Sample sample = MakeSample(as_mask ? sound_ : file, {}, kImagePath);
    if (as_mask) {
      Buffer buffer = Buffer::Allocate(file.size());
      std::copy(file.begin(), file.end(), buffer.data.get());
      buffer.path = kMaskPath;
      sample.set_encoded("mask", std::move(buffer));
    }
    const std::string path = std::string(as_mask ? kMaskPath : kImagePath) + ": ";
    try {
      runner.Process(sample);
    } catch (const BadSample& bad) {
      const std::string what = bad.what();
      CAPTURE(what);
      REQUIRE(what.starts_with(path));
      REQUIRE(what.size() > path.size());
      REQUIRE(!bad.reason().empty());
      errors.insert(Kind(what.substr(path.size())));
      reasons.insert(bad.reason());
    }
    for (const std::string& warning : runner.warnings()) {
      CAPTURE(warning);
      // What is said of masks in general is said once, without a path.
      REQUIRE((warning.starts_with(path) || warning.starts_with("masks ")));
    }
  }
  std::set<std::string> errors, reasons;

 private:
  const FileBytes sound_ = MakePng(Gradient(12, 20));
};

}  // namespace

TEST_CASE("every fault of a broken file, image or mask, begins with the file's path") {
  const Raster colour = Gradient(12, 20), gray = Gradient(12, 20, 1);
  const std::string header = "P6 # c\n20 12 255\n";
  FileBytes pnm(header.begin(), header.end());
  pnm.insert(pnm.end(), colour.values.begin(), colour.values.end());
  const std::vector<FileBytes> files = {
      MakeJpeg(colour, {.exif = 6}),
      MakeJpeg(colour, {.progressive = true}),
      MakeJpeg(Gradient(12, 20, 4)),
      MakeJpeg(gray, {.restart_rows = 1, .arithmetic = true}),
      MakePng(colour),
      MakePng(gray, {.interlaced = true}),
      MakePng(Raster(12, 20, 1, 1), {.color_type = 3, .depth = 2, .palette = {1, 2, 3, 4, 5, 6}}),
      pnm,
      {},
      {'G', 'I', 'F', '8', '9', 'a'}};
  Told told;
  size_t tried = 0;
  const auto all_ways = [&](const FileBytes& file) {
    for (const bool as_mask : {false, true}) {
      told.Try(file, as_mask, ++tried % 2 ? "reject" : "tolerate");
    }
  };
  for (const FileBytes& file : files) {
    all_ways(file);
    for (size_t at = 0; at < file.size(); ++at) {
      all_ways(FileBytes(file.begin(), file.begin() + std::ptrdiff_t(at)));
      for (const uint8_t change : {0x01, 0x80, 0xFF}) {
        FileBytes changed = file;
        changed[at] ^= change;
        all_ways(changed);
      }
    }
  }
  MESSAGE(tried << " broken files, " << told.errors.size() << " kinds of messages");
  CHECK(told.errors.size() > 40);
  CHECK(told.reasons.size() >= 5);
}
