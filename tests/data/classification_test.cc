#include <doctest/doctest.h>

#include <cstdlib>

#include "data/class_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

TEST_CASE("labels number the class folders in the order of their names' bytes") {
  TempTree tree;
  Classes(tree, "train", {"n02", "n01", "N03", "\xC3\xA9t\xC3\xA9"}, 1);
  CHECK(OpenedClasses(Whole(tree.root())).All() ==
        Lines{"0 N03_0", "1 n01_0", "2 n02_0", "3 \xC3\xA9t\xC3\xA9_0"});
}

TEST_CASE("a set of classes is found from its folder, its parent and a half's own folder") {
  TempTree tree;
  Classes(tree, "imagenet/Train", {"a", "b"}, 2);
  Classes(tree, "imagenet/val", {"a", "b"}, 1);
  for (const char* root : {"", "imagenet"}) {
    CAPTURE(root);
    CHECK(OpenedClasses(Params(tree / root, "train")).All() ==
          Lines{"0 a_0", "0 a_1", "1 b_0", "1 b_1"});
    CHECK(OpenedClasses(Params(tree / root, "val")).All() == Lines{"0 a_0", "1 b_0"});
  }
  CHECK(OpenedClasses(Whole(tree / "imagenet/Train/")).All().size() == 4);
  const std::string refusal = ClassesRefusal(Params(tree / "imagenet/val", "train"));
  CHECK(Holds(refusal, "split: there is no train folder under"));
}

TEST_CASE("class folders without halves serve each, with a share for val") {
  TempTree tree;
  Classes(tree, "flowers", {"rose", "tulip"}, 10);
  const fs::path root = tree / "flowers";
  CHECK(OpenedClasses(Params(root, "test")).source->Size() == 20);
  const Lines train = OpenedClasses(Params(root, "train")).All(),
              val = OpenedClasses(Params(root, "val")).All();
  CHECK(train.size() == 18);
  CHECK(val.size() == 2);
  CHECK(val[0][0] == '0');
  CHECK(val[1][0] == '1');
  Lines both;
  std::merge(train.begin(), train.end(), val.begin(), val.end(), std::back_inserter(both));
  CHECK(both == OpenedClasses(Whole(root)).All());
  CHECK(OpenedClasses(Params(root, "val"), 44).All() != val);
  CHECK(OpenedClasses(Params(root, "train")).Informed("18 of 20 images: the rest is for val"));
  CHECK(OpenedClasses(Params(root, "val")).Informed("2 of 20 images: the share for val"));
}

TEST_CASE("the image is read encoded, its label stands beside it, and its path is the sample's") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 1);
  const OpenedClasses opened(Whole(tree.root()));
  const Sample sample = opened.Read(1);
  CHECK(sample.label("label") == 1);
  CHECK(sample.path == (tree / "train/b/b_0.JPEG").native());
  CHECK(!sample.has_encoded("mask"));
}

TEST_CASE("halves with different classes are refused with the numbers and names that differ") {
  TempTree tree;
  Classes(tree, "train", {"a", "b", "only \xE9"}, 1);
  Classes(tree, "val", {"a", "b", "c", "d"}, 1);
  for (const char* split : {"train", "val"}) {
    const std::string refusal = ClassesRefusal(Params(tree.root(), split));
    CHECK(Holds(refusal, "root: a label would mean another class in each half"));
    CHECK(Holds(refusal, "train has 3 class folders, "));
    CHECK(Holds(refusal, "val has 4; only in train: 1 (only \\xe9); only in val: 2 (c, d)"));
  }
}

TEST_CASE("a long difference between halves is cut, with its number") {
  TempTree tree;
  Lines many;
  for (int i = 10; i < 40; ++i) many.push_back("n" + std::to_string(i));
  Classes(tree, "train", many, 1);
  Classes(tree, "val", {"n10"}, 1);
  CHECK(Holds(ClassesRefusal(Whole(tree.root())),
              "only in train: 29 (n11, n12, n13, n14, n15, n16, "
              "n17, n18, n19, n20 and 19 more)"));
}

TEST_CASE("val images that nobody sorted into class folders are refused with what is to be done") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 1);
  tree.File("val/ILSVRC2012_val_00000001.JPEG");
  const std::string refusal = ClassesRefusal(Params(tree.root(), "val"));
  CHECK(
      Holds(refusal, "val has 0; only in train: 2 (a, b); sort the images into a folder a class"));
  tree.File("other/train/a_0.JPEG");
  Classes(tree, "other/val", {"a"}, 1);
  CHECK(Holds(ClassesRefusal(Params(tree / "other", "train")),
              "only in val: 1 (a); sort the images into a folder a class"));
}

TEST_CASE("test images without classes hinder nobody who trains") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 2);
  tree.File("test/ILSVRC2012_test_00000001.JPEG");
  CHECK(OpenedClasses(Whole(tree.root())).source->Size() == 4);
  CHECK(Holds(ClassesRefusal(Params(tree.root(), "test")), "root: "));
}

TEST_CASE(
    "strewn files are no images, and class folders without images are said and keep their label") {
  TempTree tree;
  Classes(tree, "train", {"a", "c"}, 1);
  for (const char* stray : {"Thumbs.db", "._a_0.JPEG", ".DS_Store", "notes.txt"}) {
    tree.File(fs::path("train/a") / stray);
    tree.File(fs::path("train/b") / stray);
  }
  const OpenedClasses opened(Whole(tree.root()));
  CHECK(opened.All() == Lines{"0 a_0", "2 c_0"});
  CHECK(opened.Warned("1 class folder holds no image: b"));
  CHECK(opened.Warned("2 files in class folders are no images: a/notes.txt, b/notes.txt"));
  CHECK(opened.context.warnings.size() == 2);
}

TEST_CASE("class and file names with spaces, non-ASCII letters and other bytes are read") {
  TempTree tree;
  Classes(tree, "train", {" two  words ", "\xE9\xAD\x9A", "\xFF\xFE"}, 1);
  CHECK(OpenedClasses(Whole(tree.root())).All() ==
        Lines{"0  two  words _0", "1 \xE9\xAD\x9A_0", "2 \xFF\xFE_0"});
}

TEST_CASE("a loop of links among the class folders ends, is no class, and is said") {
  TempTree tree;
  Classes(tree, "set/train", {"a", "b"}, 1);
  fs::create_directory_symlink("..", tree / "set/train/0 up");
  fs::create_directory_symlink(".", tree / "set/train/zz here");
  fs::create_directory_symlink("a", tree / "set/train/zz same");
  fs::create_symlink("a_1.JPEG", tree / "set/train/a/a_1.JPEG");
  fs::create_directory_symlink(tree / "set", tree / "set/again");
  const OpenedClasses opened(Whole(tree / "set"));
  CHECK(opened.All() == Lines{"0 a_0", "1 b_0"});
  CHECK(opened.Warned("lead to folders that are there already: 0 up, zz here, zz same"));
}

TEST_CASE("a root without class folders is refused with what was looked for and what is there") {
  TempTree tree;
  CHECK(Holds(ClassesRefusal(Whole(tree / "nowhere")), "root: there is no folder"));
  CHECK(Holds(ClassesRefusal(Whole(tree.root())), "there are no folders in it"));
  fs::create_directories(tree / "docs/drafts");
  tree.File("docs/readme.txt");
  CHECK(Holds(ClassesRefusal(Whole(tree.root())), "the folder in it is docs"));
  fs::create_directories(tree / "train/a");
  CHECK(Holds(ClassesRefusal(Whole(tree.root())), "holds an image"));
  CHECK(Holds(ClassesRefusal(Whole("")), "root: is empty"));
  Classes(tree, "one/train", {"a"}, 1);
  Classes(tree, "train/two/train", {"a"}, 1);
  fs::remove_all(tree / "train/a");
  CHECK(Holds(ClassesRefusal(Params(tree / "one", "test")), "split: there is no test folder"));
}

TEST_CASE("two sets under one root are refused by their names") {
  TempTree tree;
  Classes(tree, "one/train", {"a"}, 1);
  Classes(tree, "two/train", {"a"}, 1);
  CHECK(Holds(ClassesRefusal(Whole(tree.root())), "several sets of class folders: "));
  Classes(tree, "one/TRAIN", {"a"}, 1);
  CHECK(Holds(ClassesRefusal(Whole(tree / "one")), "holds both TRAIN and train"));
}

TEST_CASE("real photographs in ImageNet's layout give their 112 images") {
  const char* data = std::getenv("FLOWTRAIN_TEST_DATA");
  if (data == nullptr || !fs::exists(fs::path(data) / "imagenet")) {
    MESSAGE("skipped: no photographs; set FLOWTRAIN_TEST_DATA");
    return;
  }
  const OpenedClasses opened(Whole(fs::path(data) / "imagenet"));
  CHECK(opened.source->Size() == 112);
  CHECK(opened.Read(111).label("label") > 50);
}

}  // namespace
}  // namespace flowtrain::data_test
