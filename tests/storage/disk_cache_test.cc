// The cache on disk: what is kept comes back, and nothing that is torn, old or another file's does.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <flowtrain/error.h>

#include "pipeline/storage/cache_entry.h"
#include "pipeline/storage/disk_cache.h"
#include "support/holds.h"
#include "support/scratch_folder.h"

using namespace flowtrain;
using namespace flowtrain::storage;
using flowtrain::testing::Holds;
namespace fs = std::filesystem;

namespace {

Buffer Bytes(const std::string& text) {
  Buffer buffer = Buffer::Allocate(text.size());
  std::copy(text.begin(), text.end(), buffer.data.get());
  return buffer;
}

std::string Text(const std::optional<Buffer>& buffer) {
  return buffer ? std::string(buffer->data.get(), buffer->data.get() + buffer->size) : "nothing";
}

CacheKey Key(uint64_t number) { return {number << 56, number}; }

const FileStamp kStamp{5, 1000};
FileStamp Same() { return kStamp; }

// All that lies in the cache but its folders.
std::vector<fs::path> Files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

// "hello" under Key(1), by an earlier run; the entry's file.
fs::path EntryKept(const fs::path& folder) {
  DiskCache cache(folder, 0, [](auto&) {});
  cache.Keep(Key(1), kStamp, Bytes("hello"));
  return Files(folder).at(0);
}

}  // namespace

TEST_CASE("what the disk cache keeps comes back in this run and in the next, and only for its key") {
  const ScratchFolder folder;
  std::vector<std::string> said;
  const Say say = [&](const std::string& message) { said.push_back(message); };
  {
    DiskCache cache(folder / "a/b", 0, say);
    CHECK(Text(cache.Find(Key(1), Same)) == "nothing");
    cache.Keep(Key(1), kStamp, Bytes("hello"));
    cache.Keep(Key(2), kStamp, Bytes(""));
    CHECK(Text(cache.Find(Key(1), Same)) == "hello");
    CHECK(cache.use().bytes == 5 + 2 * kEntryHeaderBytes);
    CHECK(cache.use().capacity > 1 << 20);
  }
  DiskCache next(folder / "a/b", 0, say);
  CHECK(Text(next.Find(Key(1), Same)) == "hello");
  CHECK(Text(next.Find(Key(2), Same)) == "");
  CHECK(Text(next.Find(Key(3), Same)) == "nothing");
  CHECK(said.empty());
}

TEST_CASE("a file that changed is noticed by size and by time, asked once a run, and its entry goes") {
  const ScratchFolder folder;
  for (const FileStamp now : {FileStamp{6, 1000}, FileStamp{5, 1001}}) {
    {
      DiskCache cache(folder.path(), 0, [](auto&) {});
      cache.Keep(Key(1), kStamp, Bytes("hello"));
    }
    DiskCache cache(folder.path(), 0, [](auto&) {});
    CHECK(Text(cache.Find(Key(1), [&] { return now; })) == "nothing");
    CHECK(cache.use().evictions == 1);
    CHECK(Files(folder.path()).empty());
  }
  {
    DiskCache cache(folder.path(), 0, [](auto&) {});
    cache.Keep(Key(1), kStamp, Bytes("hello"));
  }
  DiskCache cache(folder.path(), 0, [](auto&) {});
  int asked = 0;
  for (int i = 0; i < 3; ++i) CHECK(Text(cache.Find(Key(1), [&] { return ++asked, kStamp; })) == "hello");
  CHECK(asked == 1);
  DiskCache other(folder.path(), 0, [](auto&) {});
  CHECK(Text(other.Find(Key(1), []() -> FileStamp { throw Error("gone"); })) == "nothing");
}

TEST_CASE("an entry that is cut at any byte, or has one wrong bit, is never given out") {
  const ScratchFolder folder;
  const std::string content = "0123456789abcdef";
  const size_t size = kEntryHeaderBytes + content.size();
  size_t noticed = 0;
  for (size_t at = 0; at < 2 * size; ++at) {
    DiskCache cache(folder.path(), 0, [](auto&) {});
    cache.Keep(Key(1), kStamp, Bytes(content));
    const fs::path file = Files(folder.path()).at(0);
    REQUIRE(fs::file_size(file) == size);
    if (at < size) {
      fs::resize_file(file, at);
    } else {
      std::fstream bits(file, std::ios::binary | std::ios::in | std::ios::out);
      bits.seekg(static_cast<long>(at - size));
      const char old = static_cast<char>(bits.get());
      bits.seekp(static_cast<long>(at - size));
      bits.put(static_cast<char>(old ^ 4));
    }
    DiskCache next(folder.path(), 0, [](auto&) {});
    const std::optional<Buffer> found = next.Find(Key(1), Same);
    noticed += found ? 0 : 1;
    if (found) MESSAGE("not noticed at " << at << ": " << Text(found));
    CHECK(next.use().evictions == 1);
    next.Keep(Key(1), kStamp, Bytes(content));
    CHECK(Text(next.Find(Key(1), Same)) == content);
  }
  CHECK(noticed == 2 * size);
  MESSAGE(noticed << " damaged entries of " << 2 * size << " noticed");
}

TEST_CASE("writers that are killed with -9 leave no torn entry, and what they began with is cleared away") {
  const ScratchFolder folder;
  const std::string content(3 << 20, 'x');
  size_t drafts = 0, whole = 0;
  for (int round = 0; round < 30 || (drafts == 0 && round < 300); ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (;;) {
        DiskCache cache(folder.path(), 0, [](auto&) {});
        for (uint64_t i = 1; i <= 5; ++i) cache.Keep(Key(i), kStamp, Bytes(content + std::to_string(i)));
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(30 + round % 30));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (const fs::path& file : Files(folder.path())) drafts += file.parent_path().filename() == "drafts" ? 1 : 0;
    DiskCache cache(folder.path(), 0, [](auto&) {});
    for (uint64_t i = 1; i <= 5; ++i) {
      const std::optional<Buffer> found = cache.Find(Key(i), Same);
      if (!found) continue;
      ++whole;
      REQUIRE(found->size > content.size());
      CHECK(std::count(found->data.get(), found->data.get() + content.size(), 'x') == static_cast<long>(content.size()));
    }
    CHECK(cache.use().evictions == 0);
    cache.Keep(Key(9), kStamp, Bytes("9"));  // takes stock
    for (const fs::path& file : Files(folder.path())) CHECK(file.parent_path().filename() != "drafts");
  }
  CHECK(whole > 0);
  CHECK(drafts > 0);
  MESSAGE(drafts << " torn drafts, " << whole << " whole entries");
}

TEST_CASE("a draft that somebody is still writing is left alone") {
  const ScratchFolder folder;
  fs::create_directories(folder / ".flowtrain-cache/drafts");
  const fs::path draft = folder / ".flowtrain-cache/drafts/AbCdEf";
  const int file = open(draft.c_str(), O_CREAT | O_WRONLY, 0600);
  REQUIRE(flock(file, LOCK_EX) == 0);
  DiskCache cache(folder.path(), 0, [](auto&) {});
  cache.Keep(Key(1), kStamp, Bytes("hello"));
  CHECK(fs::exists(draft));
  close(file);
  DiskCache next(folder.path(), 0, [](auto&) {});
  next.Keep(Key(2), kStamp, Bytes("hello"));
  CHECK(!fs::exists(draft));
}

TEST_CASE("a full disk is one line, and what is kept is still given out") {
  const ScratchFolder folder;
  std::vector<std::string> said;
  DiskCache cache(folder.path(), 0, [&](const std::string& message) { said.push_back(message); });
  cache.Keep(Key(1), kStamp, Bytes("hello"));
  // A file can't grow any more: the nearest to a full disk that needs no file system of its own.
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, old.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  for (uint64_t i = 2; i < 10; ++i) cache.Keep(Key(i), kStamp, Bytes(std::string(5000, 'y')));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
  REQUIRE(said.size() == 1);
  CHECK(Holds(said[0], "File too large"));
  CHECK(Holds(said[0], folder.path().string()));
  CHECK(Text(cache.Find(Key(1), Same)) == "hello");
  CHECK(Text(cache.Find(Key(2), Same)) == "nothing");
  CHECK(Files(folder.path()).size() == 1);
}

TEST_CASE("the budget is kept: entries of earlier runs go, the longest unused first, this run's stay") {
  const ScratchFolder folder;
  const uint64_t each = 1000 + kEntryHeaderBytes;
  const std::string content(1000, 'z');
  {
    DiskCache cache(folder.path(), 0, [](auto&) {});
    for (uint64_t i = 1; i <= 4; ++i) cache.Keep(Key(i), kStamp, Bytes(content));
    for (const fs::path& file : Files(folder.path())) {  // entry i was used at second 1000 + i
      const long second = std::stol(file.filename().string().substr(0, 2), nullptr, 16) + 1000;
      const timespec times[2] = {{second, 0}, {second, 0}};
      utimensat(AT_FDCWD, file.c_str(), times, 0);
    }
  }
  std::vector<std::string> said;
  DiskCache cache(folder.path(), 5 * each, [&](const std::string& message) { said.push_back(message); });
  CHECK(Text(cache.Find(Key(1), Same)) == content);  // the oldest, but used again
  cache.Keep(Key(5), kStamp, Bytes(content));
  CHECK(cache.use().evictions == 0);
  cache.Keep(Key(6), kStamp, Bytes(content));
  cache.Keep(Key(7), kStamp, Bytes(content));
  CHECK(cache.use().evictions == 2);
  CHECK(Text(cache.Find(Key(2), Same)) == "nothing");
  CHECK(Text(cache.Find(Key(3), Same)) == "nothing");
  for (const uint64_t there : {1, 4, 5, 6, 7}) CHECK(Text(cache.Find(Key(there), Same)) == content);
  CHECK(said.empty());
  for (uint64_t i = 8; i < 20; ++i) cache.Keep(Key(i), kStamp, Bytes(content));
  CHECK(said.size() == 1);
  CHECK(Holds(said.at(0), "are used up"));
  CHECK(Files(folder.path()).size() == 5);
  CHECK(cache.use().bytes <= 5 * each);
}

TEST_CASE("programs that share a cache folder see each other's entries and no half ones") {
  const ScratchFolder folder;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0}, found{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      DiskCache cache(folder.path(), 40 * 50'000, [](auto&) {});
      for (uint64_t i = 0; i < 300; ++i) {
        const uint64_t number = 1 + (i * 7 + static_cast<uint64_t>(t)) % 60;
        const std::string content(50'000 + number, static_cast<char>('a' + number % 26));
        const std::optional<Buffer> got = cache.Find(Key(number), Same);
        if (got) ++found;
        if (got && Text(got) != content) ++wrong;
        if (!got) cache.Keep(Key(number), kStamp, Bytes(content));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(found > 0);
}

TEST_CASE("what is in an entry's place and no entry is not waited for") {
  const ScratchFolder folder;
  const fs::path place = EntryKept(folder.path());
  fs::remove(place);
  REQUIRE(mkfifo(place.c_str(), 0600) == 0);
  DiskCache fifo(folder.path(), 0, [](auto&) {});
  CHECK(Text(fifo.Find(Key(1), Same)) == "nothing");
  fs::remove(place);
  fs::create_symlink("/dev/zero", place);
  DiskCache link(folder.path(), 0, [](auto&) {});
  CHECK(Text(link.Find(Key(1), Same)) == "nothing");
}

TEST_CASE("a cache folder that can't be made is named") {
  const ScratchFolder folder;
  std::ofstream(folder / "file") << "x";
  try {
    DiskCache cache(folder / "file/cache", 0, [](auto&) {});
    FAIL("nothing thrown");
  } catch (const Error& error) {
    CHECK(Holds(error.what(), (folder / "file/cache").string()));
  }
}

TEST_CASE("a file larger than the whole cache drops nothing for itself, and smaller ones are still kept") {
  const ScratchFolder folder;
  {
    DiskCache cache(folder.path(), 0, [](auto&) {});
    for (uint64_t i = 1; i <= 4; ++i) cache.Keep(Key(i), kStamp, Bytes(std::string(1000, 'z')));
  }
  std::vector<std::string> said;
  DiskCache cache(folder.path(), 6000, [&](const std::string& message) { said.push_back(message); });
  CHECK(!cache.Keep(Key(5), kStamp, Bytes(std::string(6000, 'b'))));
  CHECK(cache.use().evictions == 0);
  CHECK(cache.Keep(Key(6), kStamp, Bytes(std::string(1000, 's'))));
  for (uint64_t i = 1; i <= 4; ++i) CHECK(cache.Find(Key(i), Same).has_value());
  CHECK(said.size() == 1);
}

TEST_CASE("an entry outlives a moment in which its file can't be looked at") {
  const ScratchFolder folder;
  {
    DiskCache cache(folder.path(), 0, [](auto&) {});
    cache.Keep(Key(1), kStamp, Bytes("hello"));
  }
  DiskCache cache(folder.path(), 0, [](auto&) {});
  CHECK(Text(cache.Find(Key(1), []() -> FileStamp { throw Transient("away"); })) == "nothing");
  CHECK(Text(cache.Find(Key(1), Same)) == "hello");
  CHECK(cache.use().evictions == 0);
}

TEST_CASE("the cache may lie among a source's own folders: all of it is hidden") {
  const ScratchFolder folder;
  DiskCache cache(folder.path(), 0, [](auto&) {});
  cache.Keep(Key(1), kStamp, Bytes("hello"));
  for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path().filename().native().starts_with("."));
}

TEST_CASE("what is a folder in an entry's place costs that entry only") {
  const ScratchFolder folder;
  const fs::path place = EntryKept(folder.path());
  fs::remove(place);
  fs::create_directory(place);
  std::vector<std::string> said;
  DiskCache cache(folder.path(), 0, [&](const std::string& message) { said.push_back(message); });
  CHECK(Text(cache.Find(Key(1), Same)) == "nothing");
  cache.Keep(Key(1), kStamp, Bytes("hello"));
  CHECK(cache.Keep(Key(2), kStamp, Bytes("hello")));
  CHECK(said.empty());
}
