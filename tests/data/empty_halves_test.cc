#include <doctest/doctest.h>

#include "data/class_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

TEST_CASE("an empty val folder hinders nobody who trains, and is told to who uses it") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 10);
  fs::create_directories(tree / "val");
  tree.File("val/.DS_Store");
  const OpenedClasses opened(Params(tree.root(), "train"));
  CHECK(opened.source->Size() == 20);  // no share is kept for val
  CHECK(opened.context.warnings.empty());
  CHECK(ClassesRefusal(Params(tree.root(), "val")) ==
        "split: " + (tree / "val").native() +
            " is empty: it holds neither class folders nor images; without that folder, val is a "
            "share of train");
}

TEST_CASE("an empty train folder hinders nobody who evaluates, and is told to who trains") {
  TempTree tree;
  fs::create_directories(tree / "train");
  Classes(tree, "val", {"a", "b"}, 1);
  fs::create_directories(tree / "test");
  CHECK(OpenedClasses(Params(tree.root(), "val")).All() == Lines{"0 a_0", "1 b_0"});
  for (const char* split : {"train", "test"}) {
    CHECK(ClassesRefusal(Params(tree.root(), split)) ==
          "split: " + (tree / split).native() +
              " is empty: it holds neither class folders nor images");
  }
}

TEST_CASE("classes without an image in val are named where val is used, and keep their labels") {
  TempTree tree;
  Lines names;
  for (int i = 10; i < 40; ++i) names.push_back("n" + std::to_string(i));
  Classes(tree, "train", names, 1);
  Classes(tree, "val", {"n39"}, 1);
  for (const std::string& name : names) fs::create_directories(tree / "val" / name);
  const OpenedClasses train(Params(tree.root(), "train"));
  CHECK(train.source->Size() == 30);
  CHECK(train.context.warnings.empty());
  const OpenedClasses val(Params(tree.root(), "val"));
  CHECK(val.All() == Lines{"29 n39_0"});
  CHECK(val.context.warnings == Lines{"29 class folders hold no image: n10, n11, n12, n13, n14, "
                                      "n15, n16, n17, n18, n19 and 19 more"});
  fs::remove_all(tree / "val/n39");
  fs::create_directories(tree / "val/n39");
  CHECK(OpenedClasses(Params(tree.root(), "train")).source->Size() == 30);
  CHECK(ClassesRefusal(Params(tree.root(), "val")) ==
        "root: no class folder in " + (tree / "val").native() + " holds an image");
}

TEST_CASE("halves whose class folders differ are refused with the difference, empty or not") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 1);
  fs::create_directories(tree / "val/a");
  for (const char* split : {"train", "val"}) {
    CHECK(Holds(
        ClassesRefusal(Params(tree.root(), split)),
        "train has 2 class folders, " + (tree / "val").native() + " has 1; only in train: 1 (b)"));
  }
  Classes(tree, "one/train", {"a"}, 1);
  Classes(tree, "one/val", {"b"}, 1);
  CHECK(Holds(ClassesRefusal(Params(tree / "one", "train")), "train has 1 class folder, "));
}

}  // namespace
}  // namespace flowtrain::data_test
