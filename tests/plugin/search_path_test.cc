// Where plugins are looked for, and in which order.
#include "pipeline/plugin/search_path.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "support/scratch_folder.h"

namespace flowtrain::plugin {

TEST_CASE("options come first, then the variable, the program's folder and the install's") {
  const auto folders = SearchPath({"/o1", "/o2:/o3"}, "/v1::/v2", "/opt/ft/bin/flowtrain");
  REQUIRE(folders.size() == 7);
  CHECK(folders[0] == "/o1");
  CHECK(folders[2] == "/o3");
  CHECK(folders[3] == "/v1");
  CHECK(folders[4] == "/v2");
  CHECK(folders[5] == "/opt/ft/bin");
  CHECK(folders[6].string().starts_with("/opt/ft/lib"));
  CHECK(folders[6].string().ends_with("/flowtrain/plugins"));
}

TEST_CASE("a folder is searched once, however often it is named") {
  const auto folders = SearchPath({"/a", "/a/", "/b/../a"}, nullptr, "/a/flowtrain");
  CHECK(std::count(folders.begin(), folders.end(), "/a") == 1);
}

TEST_CASE("a folder's libraries are listed by plugin name") {
  const ScratchFolder scratch;
  for (const char* file : {"libflowtrain_b.so", "libflowtrain_a.so", "libflowtrain_api.so.0",
                           "libother.so", "libflowtrain_.so"}) {
    std::ofstream(scratch / file) << "";
  }
  CHECK(LibrariesIn(scratch.path()) == std::vector<std::string>{"a", "b"});
  CHECK(LibrariesIn(scratch / "none").empty());
}

}  // namespace flowtrain::plugin
