#include <doctest/doctest.h>

#include <cstdlib>

#include "data/temp_tree.h"

namespace flowtrain::data_test {
namespace {

using Stems = std::vector<std::string>;

Stems Numbered(int count) {
  Stems stems;
  for (int i = 0; i < count; ++i) stems.push_back(std::to_string(1000 + i));
  return stems;
}

Stems Union(const Stems& a, const Stems& b) {
  Stems both;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

TEST_CASE("val is a seeded share of Train, train is the rest, and both together are all") {
  TempTree tree;
  const Stems all = Numbered(100);
  tree.Pairs("Train/Image", "Train/GT", all);
  tree.Pairs("Test/Image", "Test/GT", {"test"});
  const Stems train = Opened(Params(tree.root(), "train")).Stems(),
              val = Opened(Params(tree.root(), "val")).Stems();
  CHECK(val.size() == 10);
  CHECK(Union(train, val) == all);
  CHECK(Opened(Params(tree.root(), "val")).Stems() == val);
  CHECK(Opened(Params(tree.root(), "val"), 43).Stems() != val);
  CHECK(Opened(Params(tree.root(), "val")).Informed("10 of 100 pairs: the share for val"));
  CHECK(Opened(Params(tree.root(), "train")).Informed("90 of 100 pairs: the rest is for val"));
}

TEST_CASE("a larger val share holds a smaller one's pairs") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", Numbered(50));
  Value more = Params(tree.root(), "val");
  more.Set("val_share", 0.3);
  const Stems few = Opened(Params(tree.root(), "val")).Stems(), many = Opened(more).Stems();
  CHECK(few.size() == 5);
  CHECK(many.size() == 15);
  CHECK(std::includes(many.begin(), many.end(), few.begin(), few.end()));
}

TEST_CASE("both shares hold a pair where there are two, and one pair can't be shared") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"a", "b"});
  CHECK(Opened(Params(tree.root(), "train")).source->Size() == 1);
  CHECK(Opened(Params(tree.root(), "val")).source->Size() == 1);
  TempTree single;
  single.Pairs("Train/Image", "Train/GT", {"a"});
  CHECK(Opened(Params(single.root(), "train")).source->Size() == 1);
  CHECK(Holds(Refusal(Params(single.root(), "val")), "val_share: one pair"));
}

TEST_CASE("a Val folder is val, and then train is the whole of Train") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", Numbered(20));
  tree.Pairs("Val/Image", "Val/GT", {"v"});
  CHECK(Opened(Params(tree.root(), "train")).Stems() == Numbered(20));
  CHECK(Opened(Params(tree.root(), "val")).Stems() == Stems{"v"});
}

TEST_CASE("an empty Val folder hinders nobody who trains, and is told to who uses it") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", Numbered(20));
  std::filesystem::create_directories(tree / "Val/Image");
  std::filesystem::create_directories(tree / "Val/GT");
  CHECK(Opened(Params(tree.root(), "train")).Stems() == Numbered(20));
  CHECK(Refusal(Params(tree.root(), "val")) ==
        "root: no image has a mask of the same name in " + (tree / "Val/Image").native() +
            " (Val): 0 images, 0 masks");
}

TEST_CASE("COD10K's pairs without camouflage are left out unless asked for, with the counts said") {
  TempTree tree;
  const Stems cam = {"COD10K-CAM-1-Aquatic-1-BatFish-1", "COD10K-CAM-2-Terrestrial-23-Cat-1506"};
  const Stems non_cam = {"COD10K-NonCAM-3-Flying-63-Butterfly-4000", "COD10K-NonCAM-4-5000",
                         "COD10K-NonCAM-5-Other-6"};
  tree.Pairs("Train/Image", "Train/GT_Object", Union(cam, non_cam));
  tree.File("Train/Image/COD10K-NonCAM-9-without-mask.jpg");
  const Opened opened(Whole(tree.root()));
  CHECK(opened.Stems() == cam);
  CHECK(opened.Informed("2 of 5 pairs: COD10K-CAM only"));
  CHECK(opened.context.warnings.empty());

  Value all = Whole(tree.root());
  all.Set("cam_only", false);
  const Opened both(all);
  CHECK(both.source->Size() == 5);
  CHECK(both.Informed("5 pairs, 3 of them COD10K-NonCAM"));
  CHECK(both.Warned("1 image has no mask"));
}

TEST_CASE("other names count with and without the CAM filter") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"camourflage_00001", "COD10K-CAM-1", "COD10K-NonCAM-2"});
  CHECK(Opened(Whole(tree.root())).Stems() == Stems{"COD10K-CAM-1", "camourflage_00001"});
}

TEST_CASE("nothing but pairs without camouflage is refused") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"COD10K-NonCAM-2"});
  CHECK(Holds(Refusal(Whole(tree.root())), "cam_only: the only pair in "));
}

TEST_CASE("a limit takes pairs evenly from all") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", Numbered(10));
  Value params = Whole(tree.root());
  params.Set("limit", 4);
  CHECK(Opened(params).Stems() == Stems{"1000", "1002", "1005", "1007"});
  params.Set("limit", 11);
  CHECK(Opened(params).Stems() == Numbered(10));
}

TEST_CASE("real frames in COD10K's layout give their 120 and 40 pairs") {
  const char* data = std::getenv("FLOWTRAIN_TEST_DATA");
  if (data == nullptr || !std::filesystem::exists(std::filesystem::path(data) / "davis")) {
    MESSAGE("skipped: no photographs; set FLOWTRAIN_TEST_DATA");
    return;
  }
  const std::filesystem::path root = std::filesystem::path(data) / "davis";
  CHECK(Opened(Params(root, "train")).source->Size() == 108);
  CHECK(Opened(Params(root, "val")).source->Size() == 12);
  const Opened test(Params(root, "test"));
  CHECK(test.source->Size() == 40);
  CHECK(test.context.warnings.empty());
  Sample sample;
  testing::TestReadContext reader;
  test.source->Read(0, sample, reader);
  CHECK(sample.path.ends_with("Test/Image/DAVIS-blackswan-00000.jpg"));
  CHECK(sample.encoded("image").data[0] == 0xFF);  // a JPEG's first byte
  CHECK(sample.encoded("mask").data[1] == 'P');    // a PNG's second
}

}  // namespace
}  // namespace flowtrain::data_test
