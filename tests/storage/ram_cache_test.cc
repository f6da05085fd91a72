#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "pipeline/memory/free_memory.h"
#include "pipeline/storage/caches.h"
#include "pipeline/storage/ram_cache.h"
#include "support/holds.h"
#include "support/scratch_folder.h"

using namespace flowtrain;
using namespace flowtrain::storage;
using flowtrain::memory::FreeMemory;
using flowtrain::testing::Holds;

TEST_CASE("the memory cache gives back what fits its budget, and says once when that is used up") {
  std::vector<std::string> said;
  RamCache cache(25, [&](const std::string& message) { said.push_back(message); });
  for (uint64_t i = 0; i < 5; ++i) {
    Buffer buffer = Buffer::Allocate(10);
    std::fill_n(buffer.data.get(), 10, static_cast<uint8_t>('a' + i));
    cache.Keep({i, i}, {}, buffer);
  }
  CHECK(cache.use().bytes == 20);
  CHECK(said.size() == 1);
  CHECK(Holds(said.at(0), "25 B are used up"));
  const auto none = []() -> FileStamp { throw Error("asked"); };
  for (uint64_t i = 0; i < 5; ++i) {
    const std::optional<Buffer> found = cache.Find({i, i}, none);
    CHECK(found.has_value() == (i < 2));
    if (found) CHECK(std::string(found->data.get(), found->data.get() + found->size) == std::string(10, static_cast<char>('a' + i)));
  }
}

TEST_CASE("a file that does not fit in memory keeps no smaller one out") {
  int said = 0;
  RamCache cache(25, [&](auto&) { ++said; });
  CHECK(cache.Keep({1, 1}, {}, Buffer::Allocate(10)));
  CHECK(!cache.Keep({2, 2}, {}, Buffer::Allocate(20)));
  CHECK(cache.Keep({3, 3}, {}, Buffer::Allocate(10)));
  CHECK(said == 1);
}

TEST_CASE("sources that keep files in memory share what is free, and one folder by any name is one") {
  const ScratchFolder folder;
  Caches caches([](auto&) {});
  uint64_t all = 0;
  for (const char* source : {"a", "b", "c", "d"}) all += caches.Of(source, {CacheSettings::kRam, 0, {}})->use().capacity;
  CHECK(all < FreeMemory() / 100 * 98);
  std::filesystem::create_directory(folder / "c");
  std::filesystem::create_symlink(folder / "c", folder / "link");
  Cache* const first = caches.Of("a", {CacheSettings::kDisk, 1000, folder / "c"});
  for (const char* name : {"c/", "c/.", "link", "link/"}) CHECK(caches.Of("b", {CacheSettings::kDisk, 1000, folder / name}) == first);
}

TEST_CASE("free memory is the least of the machine's and the cgroups'") {
  const ScratchFolder root;
  std::filesystem::create_directories(root / "proc/self");
  std::filesystem::create_directories(root / "sys/fs/cgroup/a/b");
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(root / name) << text; };
  write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable:    800 kB\n");
  CHECK(FreeMemory(root.path().string()) == 800 * 1024);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  CHECK(FreeMemory(root.path().string()) == 800 * 1024);
  write("sys/fs/cgroup/a/memory.max", "500000\n");
  write("sys/fs/cgroup/a/memory.current", "100000\n");
  CHECK(FreeMemory(root.path().string()) == 400000);
  write("sys/fs/cgroup/a/memory.stat", "anon 1000\ninactive_file 60000\nfile 5\n");
  CHECK(FreeMemory(root.path().string()) == 460000);
}

TEST_CASE("sources that name one cache folder share it, and must give it one size") {
  const ScratchFolder folder;
  Caches caches([](auto&) {});
  const CacheSettings settings{CacheSettings::kDisk, 1000, folder / "c"};
  Cache* const first = caches.Of("train", settings);
  CHECK(first != nullptr);
  CHECK(caches.Of("val", {CacheSettings::kDisk, 1000, folder / "x/../c"}) == first);
  CHECK(caches.Of("train", settings) == first);
  CHECK(caches.Of("train", {}) == nullptr);
  try {
    caches.Of("val", {CacheSettings::kDisk, 2000, folder / "c"});
    FAIL("nothing thrown");
  } catch (const Error& error) {
    CHECK(Holds(error.what(), "\"train\""));
    CHECK(Holds(error.what(), "1000 B"));
  }
  Cache* const ram = caches.Of("train", {CacheSettings::kRam, 0, {}});
  CHECK(ram != nullptr);
  CHECK(ram != caches.Of("val", {CacheSettings::kRam, 0, {}}));
  CHECK(ram == caches.Of("train", {CacheSettings::kRam, 0, {}}));
}
