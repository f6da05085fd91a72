// The fingerprint of each source depends on what every index names, and on nothing else.
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <set>

#include "data/class_tree.h"
#include "data/list_tree.h"
#include "data/tar_text.h"
#include "stages/data/common_folder.h"
#include "stages/data/webdataset.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;

struct KnownTree : ListTree {
  uint64_t Segmentation(Value params = {}) const {
    if (params.is_null()) params = Whole(*this / "set");
    return Opened(params, 42, *this / "cache").source->Fingerprint();
  }
  uint64_t Classification(Value params = {}) const {
    if (params.is_null()) params = Whole(*this / "set");
    return OpenedClasses(params, 42, *this / "cache").source->Fingerprint();
  }
  uint64_t List(Value params = {}) const {
    if (params.is_null()) params = Labels(*this / "list.csv");
    return OpenedList(params).source->Fingerprint();
  }
  uint64_t Shards(const std::string& pattern, const char* target = "label") const {
    Value params{Value::Object{}};
    params.Set("shards", (*this / pattern).native());
    params.Set("target", target);
    return OpenedSource(testing::DeclarationOf<data::WebDataset>(), params, 42, *this / "cache")
        .source->Fingerprint();
  }
  void Rename(const fs::path& from, const fs::path& to) const {
    fs::create_directories((*this / to).parent_path());
    fs::rename(*this / from, *this / to);
  }
  // Other bytes, another time.
  void Touch(const fs::path& file) const {
    Write(file, "other bytes, and more of them");
    fs::last_write_time(*this / file, fs::file_time_type::clock::now() - std::chrono::hours(1000));
  }
};

std::string Labelled(const std::string& stem, const std::string& label,
                     const std::string& image = "image") {
  return TarText::File(stem + ".jpg", image) + TarText::File(stem + ".cls", label);
}

// Each of `changes` in turn gives a fingerprint that none before it had.
void CheckEachOther(const std::function<uint64_t()>& fingerprint,
                    const std::vector<std::function<void()>>& changes) {
  std::set<uint64_t> seen{fingerprint()};
  CHECK(!seen.contains(0));
  for (size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    changes[i]();
    CHECK(seen.insert(fingerprint()).second);
  }
}

// None of them changes it.
void CheckSame(const std::function<uint64_t()>& fingerprint,
               const std::vector<std::function<void()>>& changes) {
  const uint64_t before = fingerprint();
  for (size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    changes[i]();
    CHECK(fingerprint() == before);
  }
}

}  // namespace

TEST_CASE("images with masks are known by their names, and where they lie in the set") {
  KnownTree tree;
  tree.Pairs("set/TrainDataset/A/Imgs", "set/TrainDataset/A/GT", {"a", "b", "c"});
  tree.Pairs("set/TrainDataset/B/Imgs", "set/TrainDataset/B/GT", {"d"});
  const fs::path a = "set/TrainDataset/A", b = "set/TrainDataset/B";
  const auto move_pair = [&](const fs::path& from, const std::string& stem, const fs::path& to,
                             const std::string& as) {
    tree.Rename(from / "Imgs" / (stem + ".jpg"), to / "Imgs" / (as + ".jpg"));
    tree.Rename(from / "GT" / (stem + ".png"), to / "GT" / (as + ".png"));
  };
  CheckEachOther([&] { return tree.Segmentation(); },
                 {[&] { move_pair(a, "b", a, "bb"); },  // as sorted as before
                  [&] { move_pair(a, "bb", a, "e"); },  // stands elsewhere now
                  [&] { move_pair(a, "e", b, "e"); },   // of another set
                  [&] { tree.Rename(a / "Imgs/a.jpg", a / "Imgs/a.png"); },
                  [&] { tree.Rename(a / "GT/a.png", a / "GT/a.jpg"); },
                  [&] { tree.Pairs(a / "Imgs", a / "GT", {"f"}); },
                  // Other images of the same names beside the same masks.
                  [&] { tree.Rename(a / "Imgs", a / "Images"); }});
}

TEST_CASE("images in class folders are known by class, name and label") {
  KnownTree tree;
  Classes(tree, "set/train", {"ant", "bee", "cow"}, 2);
  const fs::path train = "set/train";
  CheckEachOther(
      [&] { return tree.Classification(); },
      {[&] { tree.Rename(train / "ant/ant_1.JPEG", train / "ant/ant_2.JPEG"); },
       [&] { tree.Rename(train / "ant/ant_2.JPEG", train / "bee/ant_2.JPEG"); },  // relabelled
       [&] { tree.Rename(train / "cow", train / "dog"); },                        // the same labels
       // The same files, each under another label.
       [&] { fs::create_directories(tree / train / "aardvark"); }});
}

TEST_CASE(
    "a list's samples are known by their paths, labels or masks, and the order of the lines") {
  KnownTree tree;
  const auto write = [&](const std::string& lines) {
    return [&tree, lines] { tree.Write("list.csv", "image,label\n" + lines); };
  };
  write("images/a.jpg,0\nimages/b.jpg,1\n")();
  CheckEachOther([&] { return tree.List(); }, {write("images/b.jpg,1\nimages/a.jpg,0\n"),
                                               write("images/a.jpg,1\nimages/b.jpg,0\n"),
                                               write("images/a.jpg,0\nimages/c.jpg,1\n")});
  const auto masks = [&](const std::string& lines) {
    return [&tree, lines] { tree.Write("masks.csv", "image,mask\n" + lines); };
  };
  masks("images/a.jpg,masks/a.png\n")();
  CheckEachOther([&] { return tree.List(Masks(tree / "masks.csv")); },
                 {masks("images/a.jpg,masks/b.png\n")});
}

TEST_CASE("samples of shards are known by shard, members and label") {
  KnownTree tree;
  fs::create_directories(tree / "x");
  fs::create_directories(tree / "m");
  tree.Write("x/1.tar", Labelled("c", "0") + TarText::End());
  const auto write = [&](const std::string& content) {
    return [&tree, content] { tree.Write("x/0.tar", content + TarText::End()); };
  };
  write(Labelled("a", "0") + Labelled("b", "1"))();
  CheckEachOther([&] { return tree.Shards("x/{0,1}.tar"); },
                 {write(Labelled("b", "1") + Labelled("a", "0")),
                  write(Labelled("a", "1") + Labelled("b", "0")),
                  write(Labelled("a", "0") + Labelled("d", "1")),
                  [&] {  // the same in the same order, but of another shard
                    write(Labelled("a", "0"))();
                    tree.Write("x/1.tar", Labelled("d", "1") + Labelled("c", "0") + TarText::End());
                  }});
  const auto mask = [](const std::string& name) {
    return TarText::File("a.jpg", "image") + TarText::File(name, "mask") + TarText::End();
  };
  tree.Write("m/0.tar", mask("a.png"));
  CheckEachOther([&] { return tree.Shards("m/0.tar", "mask"); },
                 {[&] { tree.Write("m/0.tar", mask("a.mask.png")); }});
}

TEST_CASE(
    "neither a file's bytes and time nor the folder that all lies in change what a folder's "
    "samples are known by") {
  KnownTree tree;
  tree.Pairs("set/Train/Image", "set/Train/GT_Object", {"a", "b"});
  Value at = Whole(tree / "set");
  CheckSame([&] { return tree.Segmentation(at); },
            {[&] { tree.Touch("set/Train/Image/a.jpg"); },
             [&] { tree.Write("set/Train/Image/Thumbs.db", ""); },
             [&] { tree.File("set/Train/Image/c.jpg"); },  // without a mask
             [&] { tree.Pairs("set/Test/Image", "set/Test/GT_Object", {"x"}); },
             [&] {
               tree.Rename("set", "elsewhere/COD10K");
               at = Whole(tree / "elsewhere/COD10K");
             },
             [&] { at = Whole(tree / "elsewhere"); },
             [&] { at = Whole(tree / "elsewhere/../elsewhere/COD10K/Train"); }});
  KnownTree classes;
  Classes(classes, "set/train", {"ant", "bee"}, 2);
  at = Whole(classes / "set");
  CheckSame([&] { return classes.Classification(at); },
            {[&] { classes.Touch("set/train/ant/ant_0.JPEG"); },
             [&] {
               Classes(classes, "set/test", {"ant", "bee"}, 1);
             },
             [&] {
               classes.Rename("set", "elsewhere/set");
               at = Whole(classes / "elsewhere");
             }});
}

TEST_CASE("nor of a list's, absolute paths included, nor of shards', where members lie included") {
  KnownTree tree;
  const auto rows = [&](const fs::path& folder) {
    return "image,label\n" + (folder / "images/a.jpg").native() + ",0\n" +
           (folder / "images/b.jpg").native() + ",1\n";
  };
  tree.Write("list.csv", rows(""));
  Value at = Labels(tree / "list.csv");
  CheckSame([&] { return tree.List(at); }, {[&] { tree.Touch("images/a.jpg"); },
                                            [&] {
                                              tree.Rename("images", "moved/images");
                                              at.Set("root", (tree / "moved").native());
                                            },
                                            [&] {
                                              tree.Rename("list.csv", "lists/other.csv");
                                              at.Set("file", (tree / "lists/other.csv").native());
                                            }});
  tree.Write("list.csv", rows(tree / "moved"));
  at = Labels(tree / "list.csv");
  CheckSame([&] { return tree.List(at); }, {[&] {
              tree.Rename("moved", "again/moved");
              tree.Write("list.csv", rows(tree / "again/moved"));
            }});
  fs::create_directories(tree / "x");
  tree.Write("x/0.tar", Labelled("a", "0") + Labelled("b", "1") + TarText::End());
  tree.Write("x/1.tar", Labelled("c", "0") + TarText::End());
  std::string pattern = "x/{0,1}.tar";
  CheckSame([&] { return tree.Shards(pattern); },
            {[&] {
               tree.Write("x/0.tar", TarText::File("notes", "no sample") +
                                         Labelled("a", "0", "other bytes") + Labelled("b", "1") +
                                         TarText::End());
             },
             [&] {
               tree.Rename("x", "deep/er/x");
               pattern = "deep/er/x/0.tar::" + (tree / "deep/er/x/1.tar").native();
             }});
}

TEST_CASE("a built-in set is known by its files' names as any other") {
  KnownTree tree;
  const uint64_t made = tree.Segmentation(Params("builtin:camouflage", "val"));
  CHECK(made == tree.Segmentation(Params(tree / "cache/camouflage-v1", "val")));
}

TEST_CASE("the folder that paths have in common ends where the first of their folders differ") {
  const auto inside = [](const std::vector<std::string>& paths) {
    data::CommonFolder common;
    for (const std::string& path : paths) common.Add(path);
    std::string all;
    for (const std::string& path : paths) all += std::string(common.Inside(path)) + " ";
    return all;
  };
  CHECK(inside({"/a/b/x.tar"}) == "x.tar ");
  CHECK(inside({"/a/b/x.tar", "/a/bc/y.tar"}) == "b/x.tar bc/y.tar ");
  CHECK(inside({"/a/b/c/x", "/a/b/y", "/a/b/c/z"}) == "c/x y c/z ");
  CHECK(inside({"/a/b/", "/a/b/c/"}) == " c/ ");
  CHECK(inside({"a/x", "b/x"}) == "a/x b/x ");
  CHECK(inside({"x", "x"}) == "x x ");
}

}  // namespace flowtrain::data_test
