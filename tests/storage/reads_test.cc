// Bytes as a source gets them, with a cache and without.
#include <doctest/doctest.h>

#include <flowtrain/error.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <string>

#include "pipeline/storage/disk_cache.h"
#include "pipeline/storage/ram_cache.h"
#include "pipeline/storage/reads.h"
#include "support/holds.h"
#include "support/scratch_folder.h"

using namespace flowtrain;
using namespace flowtrain::storage;
using flowtrain::testing::Holds;

namespace {

class Count final : public Counter {
 public:
  void Add(double amount) override { value += amount; }
  double value = 0;
};

struct Reading {
  Count bytes, hits, misses;
  Reads With(Cache* cache) {
    std::optional<Cached> cached;
    if (cache != nullptr) cached.emplace(*cache, hits, misses);
    return {cached, bytes, [] { return false; }};
  }
};

void WriteFile(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
std::string TextOf(const Buffer& buffer) { return {buffer.data.get(), buffer.data.get() + buffer.size}; }

}  // namespace

TEST_CASE("files and pieces come from storage once, then from either cache, and carry their path") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "shard.tar";
  WriteFile(file, "0123456789");
  const FilePart part{file, 3, 4, StampOf(file), "a/b.jpg"};
  RamCache ram(1000, [](auto&) {});
  DiskCache disk(folder / "cache", 0, [](auto&) {});
  for (Cache* cache : {static_cast<Cache*>(nullptr), static_cast<Cache*>(&ram), static_cast<Cache*>(&disk)}) {
    Reading reading;
    const Reads reads = reading.With(cache);
    for (int time = 0; time < 3; ++time) {
      const Buffer whole = reads.File(file), piece = reads.Part(part);
      CHECK(TextOf(whole) == "0123456789");
      CHECK(whole.path == file.string());
      CHECK(TextOf(piece) == "3456");
      CHECK(piece.path == file.string() + "/a/b.jpg");
    }
    CHECK(reading.bytes.value == (cache == nullptr ? 42 : 14));
    CHECK(reading.hits.value == (cache == nullptr ? 0 : 4));
    CHECK(reading.misses.value == (cache == nullptr ? 0 : 2));
  }
}

TEST_CASE("a shard that is not the one that was indexed is an error, cached or not") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "shard.tar";
  WriteFile(file, "0123456789");
  const FilePart part{file, 3, 4, StampOf(file), "b.jpg"};
  DiskCache disk(folder / "cache", 0, [](auto&) {});
  Reading reading;
  reading.With(&disk).Part(part);
  WriteFile(file, "0123456789ab");
  FilePart now = part;
  now.of = StampOf(file);
  DiskCache next(folder / "cache", 0, [](auto&) {});
  WriteFile(file, "01234XX789ab-");  // between index and read
  for (Cache* cache : {static_cast<Cache*>(nullptr), static_cast<Cache*>(&next)}) {
    try {
      reading.With(cache).Part(now);
      FAIL("nothing thrown");
    } catch (const Error& error) {
      CHECK(Holds(error.what(), "has changed since it was indexed"));
      CHECK(Holds(error.what(), file.string()));
    }
  }
}

// In place, by as many bytes.
void Overwrite(const std::filesystem::path& file) {
  const auto time = std::filesystem::last_write_time(file);
  WriteFile(file, "abcdefghij");
  std::filesystem::last_write_time(file, time + std::chrono::seconds(1));
}

// Does something once a read has begun.
struct Meanwhile {
  std::function<void()> act;
  int asked = 0;
  Count bytes;
  Reads With() {
    return {std::nullopt, bytes, [this] {
              if (asked++ == 0) act();
              return false;
            }};
  }
};

TEST_CASE("a shard that changes while a piece of it is read gives no piece") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "x.tar";
  WriteFile(file, "0123456789");
  const FilePart part{file, 3, 4, StampOf(file), "a.jpg"};
  Meanwhile overwritten{[&] { Overwrite(file); }};
  CHECK_THROWS_WITH_AS(overwritten.With().Part(part), doctest::Contains("x.tar has changed since it was indexed"), Error);
  CHECK(overwritten.asked == 1);
}

TEST_CASE("a shard that another takes the place of is read to the end of the piece as it was") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "x.tar";
  WriteFile(file, "0123456789");
  const FilePart part{file, 3, 4, StampOf(file), "a.jpg"};
  Meanwhile replaced{[&] {
    WriteFile(folder / "new.tar", "abcdefghij");
    std::filesystem::rename(folder / "new.tar", file);
  }};
  CHECK(TextOf(replaced.With().Part(part)) == "3456");
}

TEST_CASE("a file that changes while it is read is read again") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "a.jpg";
  WriteFile(file, "0123456789");
  Meanwhile overwritten{[&] { Overwrite(file); }};
  const Reads reads = overwritten.With();
  CHECK_THROWS_WITH_AS(reads.File(file), doctest::Contains("it changed while it was read"), Transient);
  CHECK(TextOf(reads.File(file)) == "abcdefghij");
}

TEST_CASE("what can't be read is told as without a cache, and nothing of it is kept") {
  const ScratchFolder folder;
  DiskCache disk(folder / "cache", 0, [](auto&) {});
  Reading reading;
  const Reads reads = reading.With(&disk);
  CHECK_THROWS_AS(reads.File(folder / "none.jpg"), Error);
  CHECK_THROWS_AS(reads.File(folder.path()), BadSample);
  CHECK_THROWS_AS(reads.File("/dev/zero"), BadSample);
  WriteFile(folder / "short.tar", "0123");
  CHECK_THROWS_AS(reads.Part({folder / "short.tar", 2, 10, StampOf(folder / "short.tar"), "a.jpg"}), Transient);
  CHECK_THROWS_AS(reads.Part({folder / "short.tar", 0, 2ull << 30, StampOf(folder / "short.tar"), "a.jpg"}), BadSample);
  CHECK(disk.use().bytes == 0);
}
