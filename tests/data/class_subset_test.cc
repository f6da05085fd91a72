#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "data/class_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

Value Subset(const fs::path& root, const std::string& split, int classes, int per_class) {
  Value params = Whole(root, split);
  params.Set("classes", classes);
  params.Set("per_class", per_class);
  return params;
}

Lines LinesOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The list that the log names.
fs::path ListOf(const OpenedClasses& opened) {
  for (const std::string& info : opened.context.infos) {
    const std::string what = "what was drawn is listed in ";
    if (info.starts_with(what)) return info.substr(what.size());
  }
  return {};
}

Lines ClassNames(int count) {
  Lines names;
  for (int i = 0; i < count; ++i) names.push_back("n" + std::to_string(100 + i));
  return names;
}

// The class that a line of All() is of: "3 n104_7" is of n104.
std::string ClassOf(const std::string& line) {
  return line.substr(line.find(' ') + 1, line.rfind('_') - line.find(' ') - 1);
}

std::set<std::string> ClassesOf(const Lines& all) {
  std::set<std::string> classes;
  for (const std::string& line : all) classes.insert(ClassOf(line));
  return classes;
}

struct Tree : TempTree {
  Tree() {
    Classes(*this, "set/train", ClassNames(20), 12);
    Classes(*this, "set/val", ClassNames(20), 3);
  }
  fs::path root() const { return *this / "set"; }
  fs::path cache() const { return *this / "cache"; }
};

TEST_CASE(
    "drawn classes are numbered anew from 0 in the order of their names, the same in each half") {
  Tree tree;
  const Lines train = OpenedClasses(Subset(tree.root(), "train", 5, 4), 42, tree.cache()).All(),
              val = OpenedClasses(Subset(tree.root(), "val", 5, 0), 42, tree.cache()).All();
  CHECK(train.size() == 20);
  CHECK(val.size() == 15);
  const std::set<std::string> classes = ClassesOf(train);
  CHECK(classes.size() == 5);
  CHECK(ClassesOf(val) == classes);
  for (const Lines& half : {train, val}) {
    for (const std::string& line : half) {
      const auto label = std::distance(classes.begin(), classes.find(ClassOf(line)));
      CHECK(line.starts_with(std::to_string(label) + " "));
    }
  }
}

TEST_CASE("a draw depends on its own seed and not on the run's, and is the same on every machine") {
  Tree tree;
  const auto draw = [&](int classes, int per_class, int subset_seed, uint64_t run_seed) {
    Value params = Subset(tree.root(), "train", classes, per_class);
    params.Set("subset_seed", subset_seed);
    return OpenedClasses(params, run_seed, tree.cache()).All();
  };
  const Lines drawn = draw(3, 2, 42, 1);
  CHECK(draw(3, 2, 42, 2) == drawn);
  CHECK(draw(3, 2, 43, 1) != drawn);
  CHECK(drawn == Lines{"0 n114_5", "0 n114_7", "1 n116_3", "1 n116_5", "2 n117_2", "2 n117_8"});
}

TEST_CASE(
    "a larger draw holds a smaller one's classes and files, and other classes change nothing") {
  Tree tree;
  const auto draw = [&](int classes, int per_class) {
    Lines all =
        OpenedClasses(Subset(tree.root(), "train", classes, per_class), 42, tree.cache()).All();
    for (std::string& line : all) line = line.substr(line.find(' ') + 1);
    return all;
  };
  const Lines few = draw(3, 2), many = draw(8, 5);
  CHECK(std::includes(many.begin(), many.end(), few.begin(), few.end()));
}

TEST_CASE("what was drawn is listed by label, file and class, for people and for other sources") {
  Tree tree;
  tree.File("set/train/n100/tab\tand \"quote\".jpg");
  Value params = Subset(tree.root(), "train", 20, 13);
  const OpenedClasses opened(params, 42, tree.cache());
  const fs::path list = ListOf(opened);
  REQUIRE(fs::exists(list));
  CHECK(list.native().starts_with((tree.cache() / "subsets/train-20-").native()));
  const Lines lines = LinesOf(list);
  REQUIRE(lines.size() == 20 * 12 + 2);
  CHECK(lines[0] == "image\tlabel\tclass");
  CHECK(lines[1] == "train/n100/n100_0.JPEG\t0\tn100");
  CHECK(lines[13] == "\"train/n100/tab\tand \"\"quote\"\".jpg\"\t0\tn100");
  CHECK(lines.back() == "train/n119/n119_9.JPEG\t19\tn119");
  fs::path names = list;
  names.replace_extension(".classes.txt");
  CHECK(LinesOf(names) == ClassNames(20));
  CHECK(opened.Informed("20 of 20 classes, drawn by seed 42"));
}

TEST_CASE("the same draw has the same list, another one another, and no draft is left") {
  Tree tree;
  const fs::path one = ListOf(OpenedClasses(Subset(tree.root(), "train", 3, 2), 1, tree.cache())),
                 same = ListOf(OpenedClasses(Subset(tree.root(), "train", 3, 2), 2, tree.cache())),
                 other = ListOf(OpenedClasses(Subset(tree.root(), "train", 3, 1), 1, tree.cache()));
  CHECK(one == same);
  CHECK(one != other);
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(tree.cache() / "subsets")) {
    const std::string name = entry.path().filename().native();
    CHECK((name.ends_with(".tsv") || name.ends_with(".classes.txt")));
    ++files;
  }
  CHECK(files == 4);
}

TEST_CASE("a list that can't be written is said, and the draw stands") {
  Tree tree;
  tree.File("cache/subsets");  // in the way of the folder
  const OpenedClasses opened(Subset(tree.root(), "train", 3, 2), 42, tree.cache());
  CHECK(opened.source->Size() == 6);
  CHECK(opened.Warned("what was drawn is not listed: "));
}

TEST_CASE("without a draw no list is written") {
  Tree tree;
  CHECK(ListOf(OpenedClasses(Whole(tree.root()), 42, tree.cache())).empty());
  CHECK(!fs::exists(tree.cache()));
}

TEST_CASE("more classes than there are is refused, fewer files than wanted are said") {
  Tree tree;
  CHECK(
      Holds(ClassesRefusal(Subset(tree.root(), "train", 21, 0)), "classes: there are only 20 in "));
  const OpenedClasses opened(Subset(tree.root(), "train", 2, 13), 42, tree.cache());
  CHECK(opened.source->Size() == 24);
  CHECK(opened.Warned("2 classes have fewer than 13 images: "));
}

}  // namespace
}  // namespace flowtrain::data_test
