// Files of many origins that break decoders, each with what must happen to it in manifest.tsv
// ($FLOWTRAIN_TEST_DATA/odd). Without that folder there is nothing to test here: odd_made_test.cc
// makes files of the same kinds itself.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> ReadManifest(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = i < cells.size() ? cells[i] : "";
  }
  return rows;
}

void CheckDecoded(const Row& row, const Raster& image) {
  CHECK(image.width == std::stoi(row.at("oriented_width")));
  CHECK(image.height == std::stoi(row.at("oriented_height")));
  const auto check_mean = [](const std::string& text, const Raster& raster) {
    double expected[3];
    if (std::sscanf(text.c_str(), "[%lf, %lf, %lf]", expected, expected + 1, expected + 2) != 3)
      return;
    for (int c = 0; c < 3; ++c) {
      CAPTURE(c);
      CHECK(std::abs(Mean(raster, c) - expected[c]) <= 2);
    }
  };
  check_mean(row.at("mean_rgb"), image);
  if (image.width < 2 || image.height < 2) return;
  check_mean(row.at("topleft_quadrant_rgb_oriented"),
             Cropped(image, 0, 0, image.width / 2, image.height / 2));
}

}  // namespace

TEST_CASE("each file of the odd set ends as its manifest says") {
  const char* data = std::getenv("FLOWTRAIN_TEST_DATA");
  const std::filesystem::path folder = std::filesystem::path(data ? data : "") / "odd";
  if (data == nullptr || !std::filesystem::exists(folder / "manifest.tsv")) {
    MESSAGE("skipped: no odd set; set FLOWTRAIN_TEST_DATA");
    return;
  }
  const std::vector<Row> rows = ReadManifest(folder / "manifest.tsv");
  CHECK(rows.size() >= 40);
  for (const Row& row : rows) {
    const std::string name = row.at("file"), expected = row.at("expected");
    CAPTURE(name);
    CAPTURE(expected);
    TestReadContext files;
    Sample sample;
    sample.path = (folder / name).string();
    sample.set_encoded("image", files.ReadFile(sample.path));
    StageRunner runner;
    runner.Add(ImagePlugin().Find("image.decode"));
    const auto start = std::chrono::steady_clock::now();
    std::string reason;
    try {
      runner.Process(sample);
    } catch (const BadSample& e) {
      reason = e.reason();
      CAPTURE(e.what());
      CHECK(std::string(e.what()).find(sample.path) != std::string::npos);
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
    CAPTURE(reason);
    if (expected.starts_with("DECODE")) {
      REQUIRE(reason.empty());
      CheckDecoded(row, Copy(sample.image("image")));
      CHECK(runner.warnings().empty() == !expected.starts_with("DECODE_WITH_WARNING"));
    } else if (expected.starts_with("REJECT_TOO_LARGE")) {
      CHECK(reason == "too large");
      CHECK(runner.image_bytes() == 0);
    } else if (expected.starts_with("REJECT_UNSUPPORTED")) {
      CHECK(reason == "unsupported format");
    } else {
      CHECK(!reason.empty());
    }
  }
}
