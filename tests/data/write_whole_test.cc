#include "stages/data/write_whole.h"

#include <doctest/doctest.h>

#include "data/temp_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;

size_t Files(const fs::path& folder) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("a file is written whole, in place of what was there, in folders that are made for it") {
  TempTree tree;
  const fs::path path = tree / "one/two/file";
  data::WriteWhole(path, "first");
  const std::string more(100000, 'x');
  data::WriteWhole(path, more);
  CHECK(Content(path) == more);
  CHECK(Files(tree / "one/two") == 1);
  CHECK((fs::status(path).permissions() & fs::perms::others_read) != fs::perms::none);
}

TEST_CASE("whoever has the former file open goes on reading that") {
  TempTree tree;
  data::WriteWhole(tree / "file", "former");
  std::ifstream open(tree / "file", std::ios::binary);
  data::WriteWhole(tree / "file", "later one");
  CHECK(std::string(std::istreambuf_iterator<char>(open), {}) == "former");
}

TEST_CASE("a file that can't take its place leaves no draft, and is named") {
  TempTree tree;
  fs::create_directories(tree / "folder/taken");
  CHECK_THROWS_WITH_AS(data::WriteWhole(tree / "folder/taken", "x"),
                       doctest::Contains("folder/taken can't be written: "), Error);
  CHECK(Files(tree / "folder") == 1);
  tree.File("file");
  CHECK_THROWS_WITH_AS(data::WriteWhole(tree / "file/below", "x"),
                       doctest::Contains("can't be written: "), Error);
}

}  // namespace
}  // namespace flowtrain::data_test
