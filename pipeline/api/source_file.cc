#include <fcntl.h>
#include <flowtrain/error.h>
#include <flowtrain/source_file.h>
#include <flowtrain/storage_fault.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace flowtrain {
namespace {

constexpr size_t kPiece = 8 << 20;

[[noreturn]] void Fail(const char* what, const std::filesystem::path& path, int error) {
  ThrowStorageFault(std::string("can't ") + what + " " + path.string(), error);
}

[[noreturn]] void FailNotRegular(const std::filesystem::path& path) {
  throw BadSample("no regular file", "can't read " + path.string() + ": it is no regular file");
}

FileStamp StampFrom(const struct stat& info) {
  constexpr int64_t kSecond = 1'000'000'000;
  return {static_cast<uint64_t>(info.st_size), info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec};
}

void CheckSize(uint64_t bytes, const std::string& name) {
  if (bytes <= kMostSampleBytes) return;
  throw BadSample("too large", name + ": holds " + std::to_string(bytes) + " bytes, more than the " +
                                   std::to_string(kMostSampleBytes) + " that are read");
}

Buffer Read(const SourceFile& file, uint64_t at, uint64_t bytes, const std::string& name, const std::function<bool()>& stopping) {
  Buffer buffer = Buffer::Allocate(bytes);
  if (file.ReadAt(at, {buffer.data.get(), buffer.size}, stopping) < bytes)
    throw Transient("can't read " + name + ": it became shorter while it was read");
  buffer.path = name;
  return buffer;
}

}  // namespace

FileStamp StampOf(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) Fail("look at", path, errno);
  return StampFrom(info);
}

SourceFile::SourceFile(const std::filesystem::path& path)
    // A FIFO would wait for its writer.
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  // A socket, a device without a driver.
  if (file_ < 0 && (errno == ENXIO || errno == ENODEV)) FailNotRegular(path_);
  if (file_ < 0) Fail("open", path_, errno);
  struct stat info {};
  const int error = ::fstat(file_, &info) != 0 ? errno : 0;
  if (error == 0 && S_ISREG(info.st_mode)) {
    stamp_ = StampFrom(info);
    return;
  }
  ::close(file_);
  if (error != 0) Fail("look at", path_, error);
  FailNotRegular(path_);
}

SourceFile::~SourceFile() { ::close(file_); }

FileStamp SourceFile::StampNow() const {
  struct stat info {};
  if (::fstat(file_, &info) != 0) Fail("look at", path_, errno);
  return StampFrom(info);
}

size_t SourceFile::ReadAt(uint64_t at, std::span<uint8_t> into, const std::function<bool()>& stopping) const {
  size_t done = 0;
  while (done < into.size()) {
    if (stopping()) throw Cancelled();
    const ssize_t n = ::pread(file_, into.data() + done, std::min(kPiece, into.size() - done),
                              static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("read", path_, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

Buffer ReadWhole(const std::filesystem::path& path, const std::function<bool()>& stopping, FileStamp* of) {
  const SourceFile file(path);
  const std::string name = path.string();
  CheckSize(file.stamp().bytes, name);
  Buffer buffer = Read(file, 0, file.stamp().bytes, name, stopping);
  // Else the bytes may be of both.
  if (file.StampNow() != file.stamp()) throw Transient("can't read " + name + ": it changed while it was read");
  if (of != nullptr) *of = file.stamp();
  return buffer;
}

Buffer ReadPiece(const FilePart& part, const std::function<bool()>& stopping) {
  const std::string name = PathOf(part);
  CheckSize(part.bytes, name);
  const SourceFile file(part.path);
  const auto check = [&part](const FileStamp& stamp) {
    if (stamp != part.of) throw Error(part.path.string() + " has changed since it was indexed: start the run again");
  };
  check(file.stamp());
  Buffer buffer = Read(file, part.at, part.bytes, name, stopping);
  check(file.StampNow());  // else the bytes may be of both
  return buffer;
}

std::string PathOf(const FilePart& part) { return part.path.string() + "/" + part.name; }

}  // namespace flowtrain
