#include <doctest/doctest.h>

#include "data/temp_tree.h"
#include "stages/data/names.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Stems = std::vector<std::string>;

TEST_CASE("pairs come in the order of their stems' bytes, whatever the set or the extension") {
  TempTree tree;
  tree.Pairs("Train/x/Image", "Train/x/Mask", {"b", "B", "a.1", "a-1"});
  tree.Pairs("Train/y/Image", "Train/y/Mask", {"aa", "\xC3\xA9"});
  CHECK(Opened(Whole(tree.root())).Stems() == Stems{"B", "a-1", "a.1", "aa", "b", "\xC3\xA9"});
}

TEST_CASE("what operating systems strew about is no image and is not reported") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"a", "b"});
  for (const char* stray :
       {"Thumbs.db", "._a.jpg", ".DS_Store", "desktop.ini", "notes.txt", "noextension", ".jpg"}) {
    tree.File(fs::path("Train/Image") / stray);
    tree.File(fs::path("Train/GT") / stray);
  }
  fs::create_directories(tree / "Train/Image/folder.jpg");
  tree.Pairs("__MACOSX/Train/Image", "__MACOSX/Train/GT", {"ghost"});
  const Opened opened(Whole(tree.root()));
  CHECK(opened.Stems() == Stems{"a", "b"});
  CHECK(opened.context.warnings.empty());
}

TEST_CASE("names with spaces, non-ASCII letters and bytes that are not UTF-8 are read") {
  TempTree tree;
  const Stems names = {" two  spaces ", "\xC3\xB6l", "\xE9t\xE9", "\xFF\xFE", "\xE9\xAD\x9A"};
  tree.Pairs("Tr\xE4ning/Train/Image", "Tr\xE4ning/Train/GT", names);
  Stems sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const Opened opened(Whole(tree.root()));
  CHECK(opened.Stems() == sorted);
  CHECK(opened.Informed("Tr\\xe4ning"));
}

TEST_CASE("a sample's path is its image's, byte for byte") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"\xE9t\xE9"});
  const Opened opened(Whole(tree.root()));
  Sample sample;
  testing::TestReadContext reader;
  opened.source->Read(0, sample, reader);
  CHECK(sample.path == (tree / "Train/Image/\xE9t\xE9.jpg").native());
  CHECK(reader.files ==
        std::vector<fs::path>{tree / "Train/Image/\xE9t\xE9.jpg", tree / "Train/GT/\xE9t\xE9.png"});
}

TEST_CASE("unmatched images and masks are reported by name and number, and left out") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"pair"});
  for (int i = 0; i < 7; ++i) tree.File("Train/Image/image" + std::to_string(i) + ".jpg");
  tree.File("Train/GT/lonely \xE9.png");
  const Opened opened(Whole(tree.root()));
  CHECK(opened.Stems() == Stems{"pair"});
  CHECK(
      opened.Warned("7 images have no mask and are left out: image0.jpg, image1.jpg, image2.jpg, "
                    "image3.jpg, image4.jpg and 2 more"));
  CHECK(opened.Warned("1 mask has no image and is left out: lonely \\xe9.png"));
  CHECK(opened.context.warnings.size() == 2);
}

TEST_CASE("of two files with one stem the first by name serves, and the other is reported") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"a"});
  tree.File("Train/Image/a.png");
  const Opened opened(Whole(tree.root()));
  CHECK(opened.Stems() == Stems{"a"});
  CHECK(opened.Warned("1 file is left out, another has its name before the dot: a.png"));
}

TEST_CASE("a missing file ends the read with an error that names it") {
  TempTree tree;
  tree.Pairs("Train/Image", "Train/GT", {"a"});
  const Opened opened(Whole(tree.root()));
  fs::remove(tree / "Train/GT/a.png");
  Sample sample;
  testing::TestReadContext reader;
  CHECK_THROWS_WITH_AS(opened.source->Read(0, sample, reader), doctest::Contains("GT/a.png"),
                       Error);
}

TEST_CASE("shown names keep UTF-8 and escape everything else") {
  CHECK(data::Printable("plain \xC3\xA9\xE9\xAD\x9A\xF0\x9F\x90\x9F") ==
        "plain \xC3\xA9\xE9\xAD\x9A\xF0\x9F\x90\x9F");
  CHECK(data::Printable("a\nb\x7F") == "a\\x0ab\\x7f");
  CHECK(data::Printable("\xE9t") == "\\xe9t");  // Latin-1
  CHECK(data::Printable("\xC0\xAF \xED\xA0\x80") ==
        "\\xc0\\xaf \\xed\\xa0\\x80");  // overlong, surrogate
  CHECK(data::Printable("cut \xE9\xAD") == "cut \\xe9\\xad");
}

}  // namespace
}  // namespace flowtrain::data_test
