// What can be told of a library without opening it.
#include "pipeline/plugin/elf_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "support/scratch_folder.h"

namespace flowtrain::plugin {
namespace {

const std::filesystem::path kGood =
    std::filesystem::path(TEST_PLUGINS) / "one" / "libflowtrain_good.so";

}  // namespace

TEST_CASE("an exported symbol is found, one that is only used is not") {
  CHECK(InspectElf(kGood, "flowtrain_plugin").exports);
  CHECK_FALSE(InspectElf(kGood, "flowtrain_plugi").exports);
  CHECK_FALSE(InspectElf(kGood, "flowtrain_plugin2").exports);
  const auto undefined = kGood.parent_path() / "libflowtrain_undefined.so";
  CHECK_FALSE(InspectElf(undefined, "FunctionThatNobodyHas").exports);
  CHECK(InspectElf(undefined, "FunctionThatNobodyHas").fault.empty());
}

TEST_CASE("a library cut off anywhere is never called good") {
  const ScratchFolder scratch;
  const auto copy = scratch / "cut.so";
  const auto size = std::filesystem::file_size(kGood);
  for (int part = 0; part < 20; ++part) {
    std::filesystem::copy_file(kGood, copy, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(copy, size * static_cast<uintmax_t>(part) / 20);
    CHECK_FALSE(InspectElf(copy, "flowtrain_plugin").fault.empty());
  }
  CHECK(InspectElf(scratch / "none.so", "x").fault.starts_with("can't be read: "));
}

TEST_CASE("what is no regular file is refused without waiting for it") {
  const ScratchFolder scratch;
  const auto fifo = scratch / "fifo.so";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(InspectElf(fifo, "x").fault == "this is not a regular file");
  CHECK(InspectElf("/dev/zero", "x").fault == "this is not a regular file");
  CHECK(InspectElf(scratch.path(), "x").fault == "this is not a regular file");
}

}  // namespace flowtrain::plugin
