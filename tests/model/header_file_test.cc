// What is no file, found where a weights file should be.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "model/header_refusal.h"
#include "model/io/mapped_file.h"
#include "support/scratch_folder.h"

namespace flowtrain::model::test {
namespace {

std::string MapRefusal(const std::filesystem::path& path) {
  return RefusalOf([&] { const MappedFile file(path); });
}

TEST_CASE("a FIFO or a device is refused at once, and never waited for") {
  const ScratchFolder folder;
  const std::filesystem::path fifo = folder.path() / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(MapRefusal(fifo) == "cannot be read: it is a device, a FIFO or a socket");
  CHECK(MapRefusal("/dev/zero") == "cannot be read: it is a device, a FIFO or a socket");
}

TEST_CASE("a folder and a missing file are refused with the cause") {
  const ScratchFolder folder;
  CHECK(MapRefusal(folder.path()) == "cannot be read: Is a directory");
  CHECK(MapRefusal(folder.path() / "none") == "cannot be opened: No such file or directory");
}

TEST_CASE("an empty file is mapped as nothing") {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "empty").flush();
  const MappedFile file(folder.path() / "empty");
  CHECK(file.size() == 0);
}

}  // namespace
}  // namespace flowtrain::model::test
