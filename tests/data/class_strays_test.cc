#include <doctest/doctest.h>
#include <sys/stat.h>

#include "data/class_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

TEST_CASE("what lies among class folders and is no sample is said once, with number and names") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 1);
  for (int i = 0; i < 7; ++i) tree.File("train/b/note" + std::to_string(i) + ".txt");
  tree.File("train/lost.jpg");
  tree.File("train/found.png");
  tree.File("train/README");
  Classes(tree, "train/a", {"more"}, 2);
  fs::create_symlink("nowhere.jpg", tree / "train/a/broken.jpg");
  REQUIRE(::mkfifo((tree / "train/b/fifo.jpg").c_str(), 0600) == 0);
  const OpenedClasses opened(Whole(tree.root()));
  CHECK(opened.All() == Lines{"0 a_0", "1 b_0"});
  CHECK(opened.context.warnings ==
        Lines{"2 images lie beside the class folders and are left out: found.png, lost.jpg",
              "7 files in class folders are no images: b/note0.txt, b/note1.txt, b/note2.txt, "
              "b/note3.txt, b/note4.txt and 2 more",
              "1 folder in a class folder is not looked into: a/more",
              "2 entries of class folders are no files: a/broken.jpg, b/fifo.jpg"});
}

TEST_CASE("one stray of a kind is said in the singular") {
  TempTree tree;
  Classes(tree, "train", {"a"}, 1);
  tree.File("train/lost.jpg");
  tree.File("train/a/notes.txt");
  fs::create_symlink("nowhere.jpg", tree / "train/a/broken.jpg");
  fs::create_directory_symlink("..", tree / "train/up");
  CHECK(OpenedClasses(Whole(tree.root())).context.warnings ==
        Lines{"1 folder is left out, because it leads to one that is there already: up",
              "1 image lies beside the class folders and is left out: lost.jpg",
              "1 file in a class folder is no image: a/notes.txt",
              "1 entry of a class folder is no file: a/broken.jpg"});
}

TEST_CASE("what operating systems strew about is no class, no image and not worth a word") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 1);
  for (const char* stray : {".DS_Store", "Thumbs.db", "thumbs.DB", "ehthumbs.db", "Desktop.ini",
                            "._a_0.JPEG", ".a_0.jpg", "Icon\r"}) {
    tree.File(fs::path("train") / stray);
    tree.File(fs::path("train/a") / stray);
  }
  for (const char* folder :
       {"@eaDir", "__MACOSX", ".git", "lost+found", "$RECYCLE.BIN", "System Volume Information"}) {
    tree.File(fs::path("train") / folder / "x.jpg");
    tree.File(fs::path("train/a") / folder / "x.jpg");
  }
  const OpenedClasses opened(Whole(tree.root()));
  CHECK(opened.All() == Lines{"0 a_0", "1 b_0"});
  CHECK(opened.context.warnings.empty());
}

TEST_CASE("strays of the half that is not used, and of classes that are not drawn, are not said") {
  TempTree tree;
  Classes(tree, "train", {"a", "b"}, 1);
  Classes(tree, "val", {"a", "b"}, 1);
  tree.File("val/a/notes.txt");
  tree.File("val/lost.jpg");
  CHECK(OpenedClasses(Params(tree.root(), "train")).context.warnings.empty());
  CHECK(OpenedClasses(Params(tree.root(), "val")).context.warnings.size() == 2);
  Value one = Params(tree.root(), "val");
  one.Set("classes", 1);
  const OpenedClasses drawn(one, 42, tree / "cache");
  CHECK(drawn.Warned("lost.jpg"));
  CHECK(drawn.Warned("a/notes.txt") == drawn.All()[0].ends_with("a_0"));
}

}  // namespace
}  // namespace flowtrain::data_test
