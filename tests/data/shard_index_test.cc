#include "stages/data/shard_index.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "data/tar_text.h"
#include "data/temp_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using data::ShardIndex;

struct Shard : TempTree {
  fs::path path() const { return *this / "x.tar"; }
  fs::path cache() const { return *this / "cache"; }
  fs::path kept() const { return data::IndexPath(path(), cache()); }
  void Write(const std::string& content) const {
    std::ofstream(path(), std::ios::binary) << content;
  }
  ShardIndex Index() const {
    return data::IndexOf(
        path(), cache(), [] { return false; }, [](const std::string&) {});
  }
};

std::string First(const ShardIndex& index) { return index.contents.members.at(0).name; }

// In the same place, of the same size and time, so that only the index tells what was there.
void Swap(const Shard& shard, const std::string& content) {
  const auto time = fs::last_write_time(shard.path());
  REQUIRE(fs::file_size(shard.path()) == content.size());
  shard.Write(content);
  fs::last_write_time(shard.path(), time);
}

const std::string kA = TarText::File("a.jpg", "A") + TarText::End(),
                  kB = TarText::File("b.jpg", "B") + TarText::End();

TEST_CASE("an index is made once, and used while the shard keeps its size and time") {
  Shard shard;
  shard.Write(kA);
  CHECK(First(shard.Index()) == "a.jpg");
  Swap(shard, kB);
  CHECK(First(shard.Index()) == "a.jpg");  // no header is read again
  fs::last_write_time(shard.path(), fs::last_write_time(shard.path()) + std::chrono::seconds(1));
  CHECK(First(shard.Index()) == "b.jpg");
  Swap(shard, kA);
  CHECK(First(shard.Index()) == "b.jpg");
  shard.Write(kA + TarText::End());
  CHECK(First(shard.Index()) == "a.jpg");
}

TEST_CASE("an index that was damaged anywhere is made anew") {
  Shard shard;
  shard.Write(kA);
  shard.Index();
  const std::string sound = Content(shard.kept());
  REQUIRE(data::ParseIndex(sound));
  Swap(shard, kB);
  for (size_t i = 0; i < sound.size(); ++i) {
    std::string damaged = sound;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    CHECK(!data::ParseIndex(damaged));
    CHECK(!data::ParseIndex(sound.substr(0, i)));
  }
  std::ofstream(shard.kept(), std::ios::binary) << sound.substr(0, sound.size() / 2);
  CHECK(First(shard.Index()) == "b.jpg");
  CHECK(data::ParseIndex(Content(shard.kept())));
}

TEST_CASE("what an index holds is what the pass found, with its fault") {
  Shard shard;
  shard.Write(TarText::File("a \xE9.jpg", std::string(1000, 'x')) +
              TarText::Header("a.png", 0, '2') + TarText::File("a.cls", "7\n"));
  const ShardIndex made = shard.Index(), kept = shard.Index();
  REQUIRE(kept.contents.members.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    const data::TarMember &a = made.contents.members[i], &b = kept.contents.members[i];
    CHECK(a.name == b.name);
    CHECK(a.at == b.at);
    CHECK(a.bytes == b.bytes);
    CHECK(a.content == b.content);
    CHECK(a.kind == b.kind);
  }
  CHECK(kept.contents.fault == "it ends without an end mark, at byte 3072");
  CHECK(kept.of == made.of);
}

TEST_CASE("several that index one shard at once all have the whole index") {
  Shard shard;
  std::string tar;
  for (int i = 0; i < 500; ++i) tar += TarText::File(std::to_string(i) + ".jpg", "x");
  shard.Write(tar + TarText::End());
  std::atomic<int> whole = 0, torn = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          whole += shard.Index().contents.members.size() == 500;
          const std::string kept = Content(shard.kept());  // empty: another thread removed it
          torn += !kept.empty() && !data::ParseIndex(kept);
          if (i % 3 == 0) fs::remove(shard.kept());
        }
      });
    }
  }
  CHECK(whole == 80);
  CHECK(torn == 0);
  for (const auto& entry : fs::directory_iterator(shard.cache() / "shards")) {
    CHECK(entry.path() == shard.kept());  // no draft is left
  }
}

TEST_CASE("an index that can't be kept is said, and there all the same") {
  Shard shard;
  shard.Write(kA);
  shard.File("cache");  // in the way of the folder
  std::string said;
  const ShardIndex index = data::IndexOf(
      shard.path(), shard.cache(), [] { return false; },
      [&](const std::string& why) { said = why; });
  CHECK(First(index) == "a.jpg");
  CHECK(Holds(said, "can't be written"));
}

TEST_CASE("a pass that is told to stop ends") {
  Shard shard;
  shard.Write(kA);
  CHECK_THROWS_AS(data::IndexOf(
                      shard.path(), shard.cache(), [] { return true; }, [](const std::string&) {}),
                  Cancelled);
}

TEST_CASE("what stands in an index's place and is no file is neither waited for nor read") {
  Shard shard;
  shard.Write(kA);
  shard.Index();
  const auto placed = [&](const std::function<void()>& place) {
    fs::remove(shard.kept());
    place();
    CHECK(First(shard.Index()) == "a.jpg");
    CHECK(fs::is_regular_file(fs::symlink_status(shard.kept())));  // made anew
    CHECK(data::ParseIndex(Content(shard.kept())));
  };
  placed([&] { REQUIRE(::mkfifo(shard.kept().c_str(), 0600) == 0); });
  placed([&] { fs::create_symlink("/dev/zero", shard.kept()); });
  placed([&] { fs::create_symlink(shard.kept(), shard.kept()); });
  placed([&] {  // without an end, as far as anyone reads
    std::ofstream(shard.kept()) << "x";
    fs::resize_file(shard.kept(), 1ull << 40);
  });
}

TEST_CASE("a folder in an index's place is named, and the run goes on") {
  Shard shard;
  shard.Write(kA);
  fs::create_directories(shard.kept());
  std::string said;
  const ShardIndex index = data::IndexOf(
      shard.path(), shard.cache(), [] { return false; },
      [&](const std::string& why) { said = why; });
  CHECK(First(index) == "a.jpg");
  CHECK(said == shard.kept().native() + " can't be written: Is a directory");
}

TEST_CASE("a cache that is full costs a line, and leaves no draft") {
  Shard shard;
  shard.Write(kA);
  fs::create_directories(shard.cache() / "shards");
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &files) == 0);
  const rlimit little{16, files.rlim_max};  // as full as a disk that has room for no more
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  std::string said;
  const ShardIndex index = data::IndexOf(
      shard.path(), shard.cache(), [] { return false; },
      [&](const std::string& why) { said = why; });
  ::setrlimit(RLIMIT_FSIZE, &files);
  std::signal(SIGXFSZ, former);
  CHECK(First(index) == "a.jpg");
  CHECK(said == shard.kept().native() + " can't be written: File too large");
  CHECK(fs::is_empty(shard.cache() / "shards"));
}

TEST_CASE("a shard that is no regular file is not waited for") {
  Shard shard;
  REQUIRE(::mkfifo(shard.path().c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(shard.Index(), doctest::Contains("is no regular file"), Error);
}

}  // namespace
}  // namespace flowtrain::data_test
