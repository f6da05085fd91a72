#include <cstdio>

#include <doctest/doctest.h>
#include <jpeglib.h>  // needs <cstdio> before it

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "data/hash_of.h"
#include "data/temp_tree.h"
#include "stages/data/builtin/encode.h"
#include "stages/data/camouflage/generate.h"
#include "stages/data/in_parallel.h"
#include "stages/data/camouflage/set.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using namespace data::camouflage;
using namespace data::builtin;

constexpr SetSize kSmall{.train = 5, .val = 2};

size_t EntriesIn(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

struct Expected {
  uint64_t seed, rgb, mask, jpeg;
};
// A change here changes the set: give it a new name (set.cc), measure again what a network reaches
// on it, and run builtin_baselines.
constexpr Expected kExpected[] = {
    {0, 0xd606d9b06cceeade, 0x55cacb5688e9720e, 0xf300df55380bf34f},
    {1, 0x3e1cd20860dea08c, 0x8b0f74172683852a, 0x8c6f2a54abac27d4},
    {200, 0x0904425cff40f84a, 0x0b31716a735f2a64, 0x206228fcb83cf3d4},
    {383, 0xaa083748ae155cb8, 0x04c05f005b34a89b, 0xf50073bd36550313},
    {100000, 0xabbc995aeaed66a1, 0xfe3b179bb261c775, 0x6b7c93a9fe4c01be},
    {100063, 0x6a9bb7a5443bee0b, 0x15e8789435d0f78b, 0xbb5874f189d2cb89},
};

TEST_CASE("the generator draws the pictures that it drew when results were published") {
  for (const Expected& expected : kExpected) {
    const Example example = Generate(expected.seed);
    CAPTURE(expected.seed);
    CHECK(Hash(example.rgb) == expected.rgb);
    CHECK(Hash(example.mask) == expected.mask);
#if LIBJPEG_TURBO_VERSION_NUMBER == 2001005
    CHECK(Hash(EncodeJpeg(example.rgb, kSize, kSize, 92)) == expected.jpeg);
#endif
  }
}

TEST_CASE("a mask alone is the picture's mask, and covers 6 to 25 percent") {
  for (const uint64_t seed : {3, 77, 100007}) {
    const std::vector<uint8_t> mask = GenerateMask(seed);
    CHECK(mask == Generate(seed).mask);
    const double share =
        static_cast<double>(std::count(mask.begin(), mask.end(), 255)) / mask.size();
    CHECK(share > 0.055);
    CHECK(share < 0.255);
  }
}

TEST_CASE("object and background have one brightness and one contrast") {
  double offset = 0;
  double contrast = 0;
  constexpr int kCount = 12;
  for (uint64_t seed = 0; seed < kCount; ++seed) {
    const Example example = Generate(seed);
    double n[2] = {}, sum[2] = {}, squares[2] = {};
    for (size_t i = 0; i < example.mask.size(); ++i) {
      const int side = example.mask[i] != 0;
      const double gray =
          (example.rgb[3 * i] + example.rgb[3 * i + 1] + example.rgb[3 * i + 2]) / 3.0;
      n[side] += 1;
      sum[side] += gray;
      squares[side] += gray * gray;
    }
    const double mean[2] = {sum[0] / n[0], sum[1] / n[1]};
    const auto deviation = [&](int side) {
      return std::sqrt(squares[side] / n[side] - mean[side] * mean[side]);
    };
    offset += (mean[1] - mean[0]) / deviation(0) / kCount;
    contrast += deviation(1) / deviation(0) / kCount;
  }
  CHECK(std::abs(offset) < 0.3);  // the light differs from place to place; on average it doesn't
  CHECK(contrast == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("the set is made once, whole, in COD10K's layout") {
  TempTree cache;
  testing::TestOpenContext first;
  first.cache = cache.root();
  const fs::path set = EnsureSet(first, kSmall);
  CHECK(set == cache / "camouflage-v1");
  CHECK(EntriesIn(set / "Train/Image") == 5);
  CHECK(EntriesIn(set / "Train/GT_Object") == 5);
  CHECK(EntriesIn(set / "Val/Image") == 2);
  CHECK(fs::exists(set / "Val/GT_Object/camouflage-100001.png"));
  CHECK(first.progress_calls >= 2);
  CHECK(EntriesIn(cache.root()) == 2);  // the set and the lock

  const fs::file_time_type made = fs::last_write_time(set / "Train/Image/camouflage-000000.jpg");
  testing::TestOpenContext second;
  second.cache = cache.root();
  EnsureSet(second, kSmall);
  CHECK(second.progress_calls == 0);
  CHECK(fs::last_write_time(set / "Train/Image/camouflage-000000.jpg") == made);
}

TEST_CASE("what a killed process left half-made is removed, and the set is made") {
  TempTree cache;
  cache.File("camouflage-v1.part-abc123/Train/Image/camouflage-000000.jpg");
  testing::TestOpenContext context;
  context.cache = cache.root();
  const fs::path set = EnsureSet(context, kSmall);
  CHECK(EntriesIn(set / "Train/Image") == 5);
  CHECK_FALSE(fs::exists(cache / "camouflage-v1.part-abc123"));
}

TEST_CASE("a set with a missing or an empty file is made again, and that is said") {
  TempTree cache;
  const auto ensure = [&] {
    testing::TestOpenContext context;
    context.cache = cache.root();
    EnsureSet(context, kSmall);
    return context.warnings.size();
  };
  CHECK(ensure() == 0);
  fs::remove(cache / "camouflage-v1/Val/GT_Object/camouflage-100000.png");
  CHECK(ensure() == 1);
  CHECK(fs::file_size(cache / "camouflage-v1/Val/GT_Object/camouflage-100000.png") > 0);
  fs::resize_file(cache / "camouflage-v1/Train/Image/camouflage-000003.jpg", 0);
  CHECK(ensure() == 1);
  CHECK(fs::file_size(cache / "camouflage-v1/Train/Image/camouflage-000003.jpg") > 0);
}

TEST_CASE("cancelling while the set is made leaves nothing half-made") {
  TempTree cache;
  for (const uint64_t call : {1, 2}) {
    testing::TestOpenContext context;
    context.cache = cache.root();
    context.cancel_at_progress = call;
    CHECK_THROWS_AS(EnsureSet(context), Cancelled);
    CHECK(EntriesIn(cache.root()) == 1);  // the lock
  }
}

TEST_CASE("several that need the set at once get one whole set") {
  TempTree cache;
  std::atomic<int> whole = 0;
  {
    std::vector<std::jthread> users;
    for (int i = 0; i < 4; ++i) {
      users.emplace_back([&] {
        testing::TestOpenContext context;
        context.cache = cache.root();
        const fs::path set = EnsureSet(context, kSmall);
        whole += EntriesIn(set / "Train/Image") == 5 && context.warnings.empty();
      });
    }
  }
  CHECK(whole == 4);
  CHECK(EntriesIn(cache.root()) == 2);
}

TEST_CASE("a cache folder that can't be written is an error that names it") {
  TempTree cache;
  fs::create_directories(cache /
                         "camouflage-v1.lock");  // also root can't open a folder for writing
  testing::TestOpenContext context;
  context.cache = cache.root();
  CHECK_THROWS_WITH_AS(EnsureSet(context, kSmall), doctest::Contains("camouflage-v1.lock"), Error);
}

TEST_CASE("the set's files are the generator's pictures") {
  TempTree cache;
  testing::TestOpenContext context;
  context.cache = cache.root();
  const fs::path set = EnsureSet(context, kSmall);
  const auto content = [&](const char* name) {
    const Buffer file = testing::TestReadContext().ReadFile(set / name);
    return std::vector<uint8_t>(file.data.get(), file.data.get() + file.size);
  };
  const Example train = Generate(4), val = Generate(100001);
  CHECK(content("Train/Image/camouflage-000004.jpg") == EncodeJpeg(train.rgb, kSize, kSize, 92));
  CHECK(content("Train/GT_Object/camouflage-000004.png") == EncodePng(train.mask, kSize, kSize, 1));
  CHECK(content("Val/Image/camouflage-100001.jpg") == EncodeJpeg(val.rgb, kSize, kSize, 92));
}

TEST_CASE("builtin:camouflage has 384 pairs to train on and 64 others to validate with") {
  TempTree cache;  // as if made: the generator has its own tests
  for (int seed = 0; seed < 384; ++seed) {
    const std::string stem = "camouflage-" + std::to_string(1000000 + seed).substr(1);
    cache.Pairs("camouflage-v1/Train/Image", "camouflage-v1/Train/GT_Object", {stem});
  }
  for (int seed = 100000; seed < 100064; ++seed) {
    const std::string stem = "camouflage-" + std::to_string(seed);
    cache.Pairs("camouflage-v1/Val/Image", "camouflage-v1/Val/GT_Object", {stem});
  }
  const Opened train(Params("builtin:camouflage", "train"), 42, cache.root());
  const Opened val(Params("builtin:camouflage", "val"), 43, cache.root());
  CHECK(train.context.progress_calls + val.context.progress_calls == 0);
  CHECK(train.Stems().size() == 384);
  CHECK(train.Stems().back() == "camouflage-000383");
  CHECK(val.Stems().size() == 64);
  CHECK(val.Stems().front() == "camouflage-100000");
}

TEST_CASE("a loop over threads calls each index once and passes on the first failure") {
  std::vector<std::atomic<int>> calls(100);
  uint64_t watched = 0;
  data::InParallel(
      100, 3, [&](uint64_t i) { ++calls[i]; }, [&](uint64_t done) { watched = done; });
  CHECK(std::all_of(calls.begin(), calls.end(), [](const std::atomic<int>& n) { return n == 1; }));
  CHECK(watched == 100);

  std::atomic<int> run = 0;
  const auto fails = [&](uint64_t i) {
    ++run;
    if (i == 5) throw Error("the sixth");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  CHECK_THROWS_WITH_AS(data::InParallel(1000, 2, fails, [](uint64_t) {}), "the sixth", Error);
  CHECK(run < 100);
}

}  // namespace
}  // namespace flowtrain::data_test
