#include "pipeline/storage/cache_entry.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
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

// `call` is readv or writev. An errno, 0 where all of it was moved; EIO where the file ended.
template <class Call>
int MoveAll(const Call& call, int fd, Header& header, const Buffer& bytes) {
  iovec pieces[2] = {{&header, sizeof header}, {bytes.data.get(), bytes.size}};
  iovec* left = pieces;
  int count = 2;
  while (count > 0) {
    ssize_t n = call(fd, left, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0 && left->iov_len > 0) return EIO;
    while (count > 0 && static_cast<size_t>(n) >= left->iov_len) n -= static_cast<ssize_t>(left->iov_len), ++left, --count;
    if (count > 0) left->iov_base = static_cast<char*>(left->iov_base) + n, left->iov_len -= static_cast<size_t>(n);
  }
  return 0;
}

}  // namespace

EntryState ReadEntry(const fs::path& path, const CacheKey& key, CacheEntry& entry) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0) return EntryState::kAbsent;
  const auto size = static_cast<uint64_t>(info.st_size);
  constexpr uint64_t kMost = (1ull << 30) + kEntryHeaderBytes;  // no sample has more
  if (!S_ISREG(info.st_mode) || size < kEntryHeaderBytes || size > kMost) return EntryState::kDamaged;
  Header header;
  entry.bytes = Buffer::Allocate(size - kEntryHeaderBytes);
  const int fault = MoveAll(::readv, file.fd, header, entry.bytes);
  if (fault != 0) return fault == EIO ? EntryState::kDamaged : EntryState::kAbsent;
  const bool whole = std::memcmp(header.magic, Header{}.magic, sizeof header.magic) == 0 &&
                     CacheKey{header.key_high, header.key_low} == key && header.bytes == entry.bytes.size &&
                     header.hash == HashOf(header, entry.bytes);
  if (!whole) return EntryState::kDamaged;
  entry.of = {header.file_bytes, header.file_modified_ns};
  return EntryState::kWhole;
}

int WriteEntry(const fs::path& path, const fs::path& drafts, const CacheKey& key, const FileStamp& of,
               const Buffer& bytes) {
  std::string name = (drafts / "XXXXXX").native();
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.fd < 0) return errno;
  ::flock(file.fd, LOCK_EX | LOCK_NB);  // whoever finds it unlocked removes it
  Header header;
  header.key_high = key.high;
  header.key_low = key.low;
  header.file_bytes = of.bytes;
  header.file_modified_ns = of.modified_ns;
  header.bytes = bytes.size;
  header.hash = HashOf(header, bytes);
  int fault = MoveAll(::writev, file.fd, header, bytes);
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
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(drafts, error)) {
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.fd >= 0 && ::flock(file.fd, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

}  // namespace flowtrain::storage
