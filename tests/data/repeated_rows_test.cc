#include <doctest/doctest.h>

#include "data/list_tree.h"

namespace flowtrain::data_test {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("a line that repeats an earlier one is a sample of its own, and said") {
  const ListTree folder;
  folder.Write("list.csv", "image,label\nimages/a.jpg,1\nimages/b.jpg,1\nimages/a.jpg,01\n");
  const OpenedList opened(Labels(folder / "list.csv"));
  CHECK(opened.Targets() == Lines{"a > 1", "b > 1", "a > 1"});
  CHECK(opened.context.warnings ==
        Lines{"1 line repeats the image and label of an earlier one, and counts as a sample of its "
              "own: line 4 is line 2 again, images/a.jpg"});
}

TEST_CASE("many lines that repeat earlier ones are counted, and the first one is named") {
  const ListTree folder;
  std::string lines = "image,mask\n";
  for (int i = 0; i < 1000; ++i) lines += "images/b.jpg,masks/a.png\nimages/c.jpg,masks/c.png\n";
  folder.Write("list.csv", lines);
  const OpenedList opened(Masks(folder / "list.csv"));
  CHECK(opened.source->Size() == 2000);
  CHECK(opened.context.warnings ==
        Lines{"1998 lines repeat the image and mask of an earlier one, and count as samples of "
              "their own, the first one: line 4 is line 2 again, images/b.jpg"});
}

TEST_CASE("an image that gets another label or mask in a later line is named with both") {
  const ListTree folder;
  folder.Write("list.csv",
               "image,label\nimages/a.jpg,cat\nimages/b.jpg,cat\nimages/b.jpg,dog\n"
               "images/b.jpg,cat\nimages/a.jpg,eel\n");
  const OpenedList opened(Labels(folder / "list.csv"));
  CHECK(opened.Targets() == Lines{"a > 0", "b > 0", "b > 1", "b > 0", "a > 2"});
  REQUIRE(opened.context.warnings.size() == 2);
  CHECK(opened.Warned("1 line repeats the image and label of an earlier one"));
  CHECK(opened.context.warnings[1] ==
        "2 lines give an image another label than an earlier one, and count as samples of their "
        "own, the first one: line 4 gives images/b.jpg \"dog\", line 3 \"cat\"");
  folder.Write("masks.csv", "image,mask\nimages/a.jpg,masks/a.png\nimages/a.jpg,masks/b.png\n");
  CHECK(OpenedList(Masks(folder / "masks.csv")).context.warnings ==
        Lines{"1 line gives an image another mask than an earlier one, and counts as a sample of "
              "its own: line 3 gives images/a.jpg \"masks/b.png\", line 2 \"masks/a.png\""});
}

TEST_CASE("images that are named once are not said, and neither are masks that serve several") {
  const ListTree folder;
  folder.Write("list.csv", "image,mask\nimages/a.jpg,masks/a.png\nimages/b.jpg,masks/a.png\n");
  CHECK(OpenedList(Masks(folder / "list.csv")).context.warnings.empty());
}

}  // namespace
}  // namespace flowtrain::data_test
