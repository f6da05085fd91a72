#include "stages/data/list.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "data/class_tree.h"
#include "data/list_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

TEST_CASE("a list gives images and their labels in its own order, from paths beside it") {
  ListTree folder;
  folder.Write("list.csv", "image,label\nimages/c.jpg,7\nimages/a.jpg,0\nimages/c.jpg,2\n");
  const OpenedList opened(Labels(folder / "list.csv"));
  CHECK(opened.Targets() == Lines{"c > 7", "a > 0", "c > 2"});
  CHECK(opened.Informed("labels are numbers of 8 classes"));
  CHECK(opened.Informed("3 samples from "));
  CHECK(opened.Read(1).path == (folder / "images/a.jpg").native());
}

TEST_CASE("a list gives images and their masks, whatever they are called") {
  ListTree folder;
  folder.Write("list.jsonl",
               "{\"image\": \"images/a.jpg\", \"mask\": \"masks/d.png\"}\n"
               "{\"image\": \"" +
                   (folder / "images/b.jpg").native() + "\", \"mask\": \"masks/b.png\"}\n");
  Value params = Labels(folder / "list.jsonl");
  params.Set("target", "mask");
  CHECK(OpenedList(params).Targets() == Lines{"a > d", "b > b"});
}

TEST_CASE("paths begin at the root that is given, columns may have other names") {
  ListTree folder;
  fs::create_directories(folder / "lists");
  folder.Write("lists/list.txt", "file\tclass\nimages/a.jpg\t1\n");
  Value params = Labels(folder / "lists/list.txt");
  params.Set("root", folder.root().native());
  params.Set("format", "tsv");
  params.Set("image_column", "file");
  params.Set("target_column", "class");
  CHECK(OpenedList(params).Targets() == Lines{"a > 1"});
}

TEST_CASE("labels that are names number them in the order of their bytes, or in the one given") {
  ListTree folder;
  folder.Write("list.csv", "image,label\nimages/a.jpg,dog\nimages/b.jpg,Zebra\nimages/c.jpg,cat\n");
  Value params = Labels(folder / "list.csv");
  CHECK(OpenedList(params).Targets() == Lines{"a > 2", "b > 0", "c > 1"});
  CHECK(OpenedList(params).Informed("labels number the names of 3 classes"));
  params.Set("class_names", Value::List{"cat", "dog", "eel", "Zebra"});
  CHECK(OpenedList(params).Targets() == Lines{"a > 1", "b > 3", "c > 0"});
  params.Set("class_names", Value::List{"cat", "dog"});
  CHECK(Holds(ListRefusal(params), "line 3: the label \"Zebra\" is not among the class names"));
  params.Set("class_names", Value::List{"cat", "dog", "cat"});
  CHECK(ListRefusal(params) == "class_names: \"cat\" stands twice");
  params.Set("target", "mask");
  params.Set("class_names", Value::List{"cat"});
  CHECK(Holds(ListRefusal(params), "class_names: goes with the target \"label\""));
}

TEST_CASE("labels that are numbers in another form are refused, and not numbered as names") {
  ListTree folder;
  folder.Write("list.csv",
               "image,label\nimages/a.jpg,0.0\nimages/b.jpg,10.0\nimages/c.jpg,2 \n"
               "images/d.jpg,+2\nimages/a.jpg,\t1e3\nimages/b.jpg,-.5\n");
  Value params = Labels(folder / "list.csv");
  const std::string refusal = ListRefusal(params);
  CHECK(Holds(refusal, "file: 6 faults in "));
  const std::string why = "\" is a number but no whole number without sign and blanks";
  for (const char* label : {"0.0", "10.0", "2 ", "+2", "\\x091e3", "-.5"}) {
    CAPTURE(label);
    CHECK(Holds(refusal, "the label \"" + std::string(label) + why));
  }
  params.Set("class_names", Value::List{"0.0", "+2", "2 ", "10.0", "\t1e3", "-.5"});
  CHECK(OpenedList(params).Targets() == Lines{"a > 0", "b > 3", "c > 2", "d > 1", "a > 4", "b > 5"});
  folder.Write("list.csv",
               "image,label\nimages/a.jpg,3D\nimages/b.jpg,inf\nimages/c.jpg,+\n"
               "images/d.jpg,1.2.3\n");
  CHECK(OpenedList(Labels(folder / "list.csv")).Targets() == Lines{"a > 2", "b > 3", "c > 0", "d > 1"});
}

TEST_CASE("a file that can't be looked at is told by its error, and not as missing") {
  ListTree folder;
  fs::create_symlink("loop.jpg", folder / "images/loop.jpg");
  folder.Write("list.csv", "image,label\nimages/loop.jpg,0\nimages/gone.jpg,1\n");
  const std::string refusal = ListRefusal(Labels(folder / "list.csv"));
  CHECK(Holds(refusal, "line 2: can't look at "));
  CHECK(Holds(refusal, "images/loop.jpg: Too many levels of symbolic links; line 3: there is no"));
  const std::string list = ListRefusal(Labels(folder / "images/loop.jpg"));
  CHECK(Holds(list, "file: can't look at "));
  CHECK(Holds(list, "images/loop.jpg: Too many levels of symbolic links"));
}

TEST_CASE("a label that is out of range, or no number among numbers, is refused by its line") {
  ListTree folder;
  folder.Write("list.csv",
               "image,label\nimages/a.jpg,0\nimages/b.jpg,-1\nimages/c.jpg,cat\nimages/d.jpg,10\n"
               "images/a.jpg,99999999999999999999\n");
  Value params = Labels(folder / "list.csv");
  std::string refusal = ListRefusal(params);
  CHECK(Holds(refusal, "file: 3 faults in "));
  CHECK(Holds(refusal, "line 3: the label \"-1\" is negative"));
  CHECK(Holds(refusal, "line 4: the label \"cat\" is no whole number, as others are"));
  CHECK(Holds(refusal, "line 6: the label \"99999999999999999999\" is not in 0..2147483647"));
  params.Set("classes", 10);
  CHECK(Holds(ListRefusal(params), "line 5: the label \"10\" is not in 0..9"));
  folder.Write("list.csv", "image,label\nimages/a.jpg,x\nimages/b.jpg,y\nimages/c.jpg,z\n");
  params.Set("classes", 2);
  CHECK(Holds(ListRefusal(params), "line 4: the label \"z\", class 2, is not in 0..1"));
}

TEST_CASE("missing files and bad lines are all named by line before anything runs") {
  ListTree folder;
  fs::create_directories(folder / "images/folder.jpg");
  folder.Write(
      "list.csv",
      "image,label\nimages/a.jpg,0\nimages/gone \xE9.jpg,1\nimages/b.jpg\nimages/folder.jpg,1\n");
  CHECK(ListRefusal(Labels(folder / "list.csv")) ==
        "file: 3 faults in " + (folder / "list.csv").native() + ": line 3: there is no file " +
            (folder / "images/gone ").native() + "\\xe9.jpg; line 4: 1 field, the header has 2; " +
            "line 5: " + (folder / "images/folder.jpg").native() + " is a folder, no file");
  folder.Write("masks.csv", "image,mask\nimages/a.jpg,masks/gone.png\n");
  Value params = Labels(folder / "masks.csv");
  params.Set("target", "mask");
  CHECK(Holds(ListRefusal(params),
              "line 2: there is no file " + (folder / "masks/gone.png").native()));
}

TEST_CASE("a list that is no file, or lists nothing, is refused by its name") {
  ListTree folder;
  CHECK(Holds(ListRefusal(Labels(folder / "nowhere.csv")), "file: there is no file "));
  CHECK(Holds(ListRefusal(Labels(folder / "images")), "images is a folder, no file"));
  REQUIRE(::mkfifo((folder / "fifo.csv").c_str(), 0600) == 0);
  CHECK(Holds(ListRefusal(Labels(folder / "fifo.csv")), "fifo.csv is a FIFO, no file"));
  folder.Write("empty.csv", "image,label\n");
  CHECK(Holds(ListRefusal(Labels(folder / "empty.csv")), "empty.csv lists no sample"));
  folder.Write("huge.csv", "");
  fs::resize_file(folder / "huge.csv", (1ull << 30) + 1);
  CHECK(Holds(ListRefusal(Labels(folder / "huge.csv")), "more than the 1073741824 that are read"));
}

TEST_CASE("names that are no UTF-8 are read as they stand in the list") {
  ListTree folder;
  folder.File("images/\xE9t\xE9 .jpg");
  folder.Write("list.csv", "image,label\nimages/\xE9t\xE9 .jpg,0\n");
  CHECK(OpenedList(Labels(folder / "list.csv")).Targets() == Lines{"\xE9t\xE9  > 0"});
}

TEST_CASE("the list of a drawn subset gives the same samples as the draw") {
  TempTree tree;
  Classes(tree, "set/train", {"n01", "n0 2", "n\"03", "n,04"}, 6);
  Value params = Whole(tree / "set");
  params.Set("classes", 3);
  params.Set("per_class", 4);
  const OpenedClasses drawn(params, 42, tree / "cache");
  fs::path list;
  for (const auto& entry : fs::directory_iterator(tree / "cache/subsets")) {
    if (entry.path().extension() == ".tsv") list = entry.path();
  }
  Value again = Labels(list);
  again.Set("root", (tree / "set").native());
  const OpenedList opened(again);
  REQUIRE(opened.source->Size() == 12);
  for (uint64_t i = 0; i < 12; ++i) {
    CHECK(opened.Read(i).path == drawn.Read(i).path);
    CHECK(opened.Read(i).label("label") == drawn.Read(i).label("label"));
  }
}

}  // namespace
}  // namespace flowtrain::data_test
