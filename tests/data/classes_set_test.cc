#include <cstdio>

#include <doctest/doctest.h>
#include <jpeglib.h>  // needs <cstdio> before it

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "data/class_tree.h"
#include "data/hash_of.h"
#include "stages/data/builtin/encode.h"
#include "stages/data/classes/set.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
namespace classes = data::classes;

std::vector<uint8_t> Encoded(const classes::Picture& picture) {
  return data::builtin::EncodeJpeg(picture.rgb, picture.width, picture.height,
                                   classes::kJpegQuality);
}

struct DuePicture {
  uint32_t of_class;
  uint64_t number;
  int width, height;
  uint64_t rgb, jpeg;
};
// A change here changes the set: give its folder a new name (set.cc).
constexpr DuePicture kDuePictures[] = {
    {0, 0, 236, 242, 0xb158415eb4d00743, 0x8fa457641aa41512},
    {0, 1, 263, 171, 0x45e7e94873016fb7, 0xae2248efb308b754},
    {37, 2, 174, 336, 0x1976d87d06c51c1b, 0x6bf3cfa146c04172},
    {60, 3, 340, 193, 0x0c759b587b3a0721, 0x04dc77ba8a559877},
    {119, 4, 242, 207, 0x913826ddd64b65a0, 0x1dca12acc036d4ef},
};

TEST_CASE("the pictures of builtin:classes are the same on every machine") {
  for (const DuePicture& expected : kDuePictures) {
    const classes::Picture picture = classes::Draw(expected.of_class, expected.number);
    CAPTURE(expected.of_class);
    CHECK(picture.width == expected.width);
    CHECK(picture.height == expected.height);
    CHECK(Hash(picture.rgb) == expected.rgb);
#if LIBJPEG_TURBO_VERSION_NUMBER == 2001005
    CHECK(Hash(Encoded(picture)) == expected.jpeg);
#endif
  }
}

TEST_CASE("classes of builtin:classes are numbered as their names sort, and no two share one") {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < classes::kClassCount; ++i) names.push_back(classes::ClassName(i));
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::set(names.begin(), names.end()).size() == classes::kClassCount);
  CHECK(names.front() == "checks-blue-on-black");
  CHECK(names.back() == "zigzag-yellow-on-white");
}

TEST_CASE("builtin:classes is made once, in ImageNet's layout, of the generator's pictures") {
  TempTree cache;
  testing::TestOpenContext first;
  first.cache = cache.root();
  constexpr classes::SetSize kSmall{.classes = 3, .train = 2, .val = 1};
  const fs::path set = classes::EnsureSet(first, kSmall);
  CHECK(set == cache / "classes-v1");
  const std::vector<uint8_t> due = Encoded(classes::Draw(2, 2));
  CHECK(Content(set / "val/checks-blue-on-gray/checks-blue-on-gray_2.JPEG") ==
        std::string(due.begin(), due.end()));
  CHECK(fs::exists(set / "train/checks-blue-on-black/checks-blue-on-black_1.JPEG"));
  CHECK_FALSE(fs::exists(set / "train/checks-blue-on-black/checks-blue-on-black_2.JPEG"));
  CHECK(first.progress_calls >= 2);

  testing::TestOpenContext second;
  second.cache = cache.root();
  classes::EnsureSet(second, kSmall);
  CHECK(second.progress_calls == 0);
}

TEST_CASE("builtin:classes has 120 classes of 4 pictures to train on and 1 other for val") {
  TempTree cache;  // as if made: the generator has its own test
  for (uint32_t i = 0; i < classes::kClassCount; ++i) {
    const std::string name = classes::ClassName(i);
    Classes(cache, "classes-v1/train", {name}, 4);
    cache.File(fs::path("classes-v1/val") / name / (name + "_4.JPEG"));
  }
  const OpenedClasses train(Params(classes::kRoot, "train"), 42, cache.root());
  const OpenedClasses val(Params(classes::kRoot, "val"), 42, cache.root());
  CHECK_FALSE(train.Informed("made"));
  CHECK_FALSE(val.Informed("made"));
  CHECK(train.source->Size() == 480);
  CHECK(val.source->Size() == 120);
  CHECK(val.All().at(119) == "119 zigzag-yellow-on-white_4");
}

TEST_CASE("a source is told the built-in set that goes with it, and that it has no test half") {
  CHECK(Holds(ClassesRefusal(Params("builtin:camouflage", "train")),
              "root: \"builtin:camouflage\" is no built-in set of this stage, only "
              "\"builtin:classes\" is"));
  CHECK(Holds(Refusal(Params("builtin:classes", "train")), "only \"builtin:camouflage\" is"));
  CHECK(Holds(ClassesRefusal(Params(classes::kRoot, "test")),
              "split: builtin:classes has train and val"));
  CHECK(Holds(ClassesRefusal(Params("", "train")),
              "root: is empty: give a dataset's folder or \"builtin:classes\""));
}

}  // namespace
}  // namespace flowtrain::data_test
