#include "pipeline/storage/cache_entry.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace flowtrain::storage {
namespace {

namespace fs = std::filesystem;

// Read by programs of this byte order on this machine: a cache is no archive.
struct Header {
  char magic[16] = {'f', 'l', 'o', 'w', 't', 'r', 'a', 'i', 'n', ' ', 'c', 'a', 'c', 'h', 'e', '1'};
  uint64_t key_high = 0, key_low = 0;
  uint64_t file_bytes = 0;
  int64_t file_modified_ns = 0;
  uint64_t bytes = 0;
  uint64_t hash = 0;  // of the bytes, seeded with the hash of what stands above
};
static_assert(sizeof(Header) == kEntryHeaderBytes);

uint64_t HashOf(const Header& header, const Buffer& bytes) {
  return XXH3_64bits_withSeed(bytes.data.get(), bytes.size, XXH3_64bits(&header, offsetof(Header, hash)));
}

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int opened) : fd(opened) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

constexpr int kEnded = -1;

// An errno, 0 where all of it was moved; kEnded where the file has no more.
template <class Call>
int MoveAll(const Call& call, int fd, uint8_t* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = call(fd, data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return kEnded;
    data += n;
    bytes -= static_cast<size_t>(n);
  }
  return 0;
}

uint8_t* BytesOf(Header& header) { return reinterpret_cast<uint8_t*>(&header); }

}  // namespace

EntryState ReadEntry(const fs::path& path, const CacheKey& key, CacheEntry& entry) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0) return EntryState::kAbsent;
  const auto size = static_cast<uint64_t>(info.st_size);
  if (!S_ISREG(info.st_mode) || size < kEntryHeaderBytes || size > kEntryHeaderBytes + kMostSampleBytes) return EntryState::kDamaged;
  Header header;
  const auto read = [](int fd, uint8_t* data, size_t bytes) { return ::read(fd, data, bytes); };
  int fault = MoveAll(read, file.fd, BytesOf(header), sizeof header);
  // Before memory is taken for what a damaged file says.
  const bool right = fault == 0 && std::memcmp(header.magic, Header{}.magic, sizeof header.magic) == 0 &&
                     CacheKey{header.key_high, header.key_low} == key && header.bytes == size - kEntryHeaderBytes;
  if (right) {
    entry.bytes = Buffer::Allocate(header.bytes);
    fault = MoveAll(read, file.fd, entry.bytes.data.get(), entry.bytes.size);
  }
  if (fault > 0) return EntryState::kAbsent;
  if (!right || fault != 0 || header.hash != HashOf(header, entry.bytes)) return EntryState::kDamaged;
  entry.of = {header.file_bytes, header.file_modified_ns};
  return EntryState::kWhole;
}

void EachIn(const fs::path& folder, const std::function<void(const fs::path&)>& each) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) each(at->path());
}

int WriteEntry(const fs::path& path, const fs::path& drafts, const CacheKey& key, const FileStamp& of,
               const Buffer& bytes) {
  std::string name = (drafts / "XXXXXX").native();
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.fd < 0) return errno;
  // Whoever finds it unlocked removes it, and may have done so already.
  struct stat info {};
  if (::flock(file.fd, LOCK_EX | LOCK_NB) != 0 || ::fstat(file.fd, &info) != 0 || info.st_nlink == 0) return EAGAIN;
  Header header;
  header.key_high = key.high;
  header.key_low = key.low;
  header.file_bytes = of.bytes;
  header.file_modified_ns = of.modified_ns;
  header.bytes = bytes.size;
  header.hash = HashOf(header, bytes);
  const auto write = [](int fd, uint8_t* data, size_t left) { return ::write(fd, data, left); };
  int fault = ::fchmod(file.fd, 0644) != 0 ? errno : 0;  // other users may share the folder
  if (fault == 0) fault = MoveAll(write, file.fd, BytesOf(header), sizeof header);
  if (fault == 0) fault = MoveAll(write, file.fd, bytes.data.get(), bytes.size);
  if (fault == 0 && ::rename(name.c_str(), path.c_str()) != 0) fault = errno;
  if (fault == ENOENT) {  // the first entry in its folder
    std::error_code error;
    fs::create_directory(path.parent_path(), error);
    fault = ::rename(name.c_str(), path.c_str()) != 0 ? errno : 0;
  }
  if (fault != 0) ::unlink(name.c_str());
  return fault;
}

void RemoveDrafts(const fs::path& drafts) {
  EachIn(drafts, [](const fs::path& draft) {
    const Descriptor file(::open(draft.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.fd >= 0 && ::flock(file.fd, LOCK_EX | LOCK_NB) == 0) ::unlink(draft.c_str());
  });
}

}  // namespace flowtrain::storage
