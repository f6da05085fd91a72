#include <doctest/doctest.h>

#include "data/temp_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a root that is not there is refused by name") {
  TempTree tree;
  CHECK(Refusal(Whole(tree / "nowhere")) ==
        "root: there is no folder " + (tree / "nowhere").native());
  tree.File("file.zip");
  CHECK(Refusal(Whole(tree / "file.zip")) ==
        "root: " + (tree / "file.zip").native() + " is not a folder");
  CHECK(Holds(Refusal(Whole("")), "root: is empty"));
  CHECK(Holds(Refusal(Whole("builtin:camoflage")), "only \"builtin:camouflage\""));
}

TEST_CASE("a root without a dataset is refused with what was looked for and what is there") {
  TempTree tree;
  CHECK(Holds(Refusal(Whole(tree.root())), "there are no folders in it"));
  fs::create_directories(tree / "pictures/2024");
  fs::create_directories(tree / "text");
  const std::string refusal = Refusal(Whole(tree.root()));
  CHECK(Holds(refusal, "root: no dataset under " + tree.root().native()));
  CHECK(Holds(refusal, "Image, Images, Img or Imgs"));
  CHECK(Holds(refusal, "GT_Object, GT, GTs, Mask or Masks"));
  CHECK(Holds(refusal, "the folders in it are pictures, text, 2024"));
}

TEST_CASE("images without a folder of masks are refused with that folder's name") {
  TempTree tree;
  tree.File("Train/Image/a.jpg");
  tree.File("Train/GT_Edge/a.png");
  CHECK(Holds(Refusal(Whole(tree.root())), "there is " + (tree / "Train/Image").native() +
                                               " without a folder of masks beside it"));
}

TEST_CASE("folders without one matching pair are refused with examples") {
  TempTree tree;
  fs::create_directories(tree / "Train/Image");
  fs::create_directories(tree / "Train/GT");
  CHECK(Holds(Refusal(Whole(tree.root())), "0 images, 0 masks"));
  tree.File("Train/Image/a.jpg");
  tree.File("Train/GT/a_mask.png");
  const std::string refusal = Refusal(Whole(tree.root()));
  CHECK(Holds(refusal, "root: no image has a mask of the same name"));
  CHECK(Holds(refusal,
              "1 image, 1 mask; images without a mask: a.jpg; masks without an image: a_mask.png"));
}

TEST_CASE("a half that is not there is refused with those there are") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"a", "b"});
  const std::string refusal = Refusal(Params(tree.root(), "test"));
  CHECK(Holds(refusal, "split: there is no Test folder under"));
  CHECK(Holds(refusal, "Train/Image (Train)"));
  CHECK(Holds(Refusal(Whole(tree.root(), "val")), "val_share: is 0"));
  CHECK(Holds(Refusal(Whole("builtin:camouflage", "test")),
              "split: builtin:camouflage has train and val"));
}

}  // namespace
}  // namespace flowtrain::data_test
