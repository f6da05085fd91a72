#include <doctest/doctest.h>

#include "data/temp_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Stems = std::vector<std::string>;

const Stems kTrain = {"a", "b", "c"};
const Stems kTest = {"d", "e"};

// Both halves are found from the root and from the folder above it.
void CheckHalves(const fs::path& root) {
  for (const fs::path& start : {root, root.parent_path()}) {
    CAPTURE(start.native());
    CHECK(Opened(Whole(start)).Stems() == kTrain);
    CHECK(Opened(Whole(start, "test")).Stems() == kTest);
  }
}

TEST_CASE("COD10K's layout gives its pairs, from the folder and from its parent") {
  TempTree tree;
  tree.Pairs("COD10K-v3/Train/Image", "COD10K-v3/Train/GT_Object", kTrain);
  tree.Pairs("COD10K-v3/Test/Image", "COD10K-v3/Test/GT_Object", kTest);
  for (const char* other : {"GT_Instance", "GT_Edge"}) {
    tree.Pairs("COD10K-v3/Info", fs::path("COD10K-v3/Train") / other, kTrain);
  }
  CheckHalves(tree / "COD10K-v3");
}

TEST_CASE("a half's own folder may be the root, and gives no other half") {
  TempTree tree;
  tree.Pairs("COD10K-v3/Train/Image", "COD10K-v3/Train/GT_Object", kTrain);
  tree.Pairs("COD10K-v3/Test/Image", "COD10K-v3/Test/GT_Object", kTest);
  CHECK(Opened(Whole(tree / "COD10K-v3/Train")).Stems() == kTrain);
  CHECK(Opened(Whole(tree / "COD10K-v3/Test/", "test")).Stems() == kTest);
  const std::string refusal = Refusal(Whole(tree / "COD10K-v3/Test"));
  CHECK(Holds(refusal, "split: there is no Train folder"));
  CHECK(Holds(refusal, "(Test)"));
}

TEST_CASE("a bundle gives its training set and all or some of its test sets") {
  for (const char* train : {"TrainDataset", "TrainValDataset"}) {
    TempTree tree;
    tree.Pairs(fs::path("bundle") / train / "Imgs", fs::path("bundle") / train / "GT", kTrain);
    tree.Pairs("bundle/TestDataset/CAMO/Imgs", "bundle/TestDataset/CAMO/GT", {"e"});
    tree.Pairs("bundle/TestDataset/NC4K/Imgs", "bundle/TestDataset/NC4K/GT", {"d"});
    CheckHalves(tree / "bundle");
    Value one = Whole(tree / "bundle", "test");
    one.Set("sets", Value::List{"nc4k"});
    CHECK(Opened(one).Stems() == Stems{"d"});
    CHECK(Opened(Whole(tree / "bundle/TestDataset/NC4K", "test")).Stems() == Stems{"d"});
    CHECK(
        Holds(Refusal(Whole(tree / "bundle/TestDataset/NC4K")), "split: there is no Train folder"));
    one.Set("sets", Value::List{"NC5K"});
    CHECK(Holds(Refusal(one), "sets: there is no set \"NC5K\""));
    CHECK(Holds(Refusal(one), "CAMO, NC4K"));
  }
}

TEST_CASE("CAMO's one folder of masks serves both halves, and none is called unmatched") {
  TempTree tree;
  tree.Pairs("CAMO/Images/Train", "CAMO/GT", kTrain);
  tree.Pairs("CAMO/Images/Test", "CAMO/GT", kTest);
  CheckHalves(tree / "CAMO");
  CHECK(Opened(Whole(tree / "CAMO")).context.warnings.empty());
}

TEST_CASE("a folder of sets inside each half gives its pairs") {
  TempTree tree;
  tree.Pairs("mine/Train/one/Image", "mine/Train/one/Mask", {"a", "c"});
  tree.Pairs("mine/Train/two/Image", "mine/Train/two/Mask", {"b"});
  tree.Pairs("mine/Test/one/Image", "mine/Test/one/Mask", kTest);
  CheckHalves(tree / "mine");
}

TEST_CASE("folders of images beside folders of masks serve without halves") {
  TempTree tree;
  tree.Pairs("mine/images", "mine/masks", kTrain);
  for (const char* split : {"train", "test"}) {
    CHECK(Opened(Whole(tree / "mine", split)).Stems() == kTrain);
  }
  CHECK(Opened(Whole(tree.root())).Stems() == kTrain);
}

TEST_CASE("names of folders and extensions count in any case") {
  TempTree tree;
  tree.File("DATA/TRAIN/iMaGe/a.JPG");
  tree.File("DATA/TRAIN/gt_OBJECT/a.PNG");
  tree.File("DATA/TRAIN/iMaGe/b.Jpeg");
  tree.File("DATA/TRAIN/gt_OBJECT/b.pNg");
  CHECK(Opened(Whole(tree / "DATA")).Stems() == Stems{"a", "b"});
}

TEST_CASE("a loop of symbolic links ends, and linked folders and files serve") {
  TempTree tree;
  tree.Pairs("real/Train/Image", "real/Train/GT", kTrain);
  fs::create_directory_symlink(tree.root(), tree / "real/Train/up");
  fs::create_directory_symlink("..", tree / "real/again");
  fs::create_symlink("a.jpg", tree / "real/Train/Image/self.jpg");
  fs::create_symlink("loop.jpg", tree / "real/Train/Image/loop.jpg");
  fs::create_symlink("nowhere.jpg", tree / "real/Train/Image/broken.jpg");
  fs::create_directories(tree / "links");
  fs::create_directory_symlink(tree / "real/Train", tree / "links/Train");
  CHECK(Opened(Whole(tree / "real")).Stems() == kTrain);
  CHECK(Opened(Whole(tree / "links")).Stems() == kTrain);
  CHECK(Opened(Whole(tree.root())).Stems() == kTrain);
}

}  // namespace
}  // namespace flowtrain::data_test
