#include "pipeline/run/files.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "pipeline/config/regular_file.h"

namespace flowtrain::run {
namespace fs = std::filesystem;

namespace {

std::string Hex(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

void ThrowIfNot(const config::RegularFile& file, const fs::path& path) {
  if (!file.why_not().empty()) throw Error(path.string() + ": " + file.why_not());
}

}  // namespace

void ThrowErrno(const fs::path& path, const std::string& what) {
  const int reason = errno;
  throw Error(path.string() + ": " + what + ": " + std::strerror(reason));
}

void WriteFile(const fs::path& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) ThrowErrno(path, "cannot be written");
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int reason = errno;
      close(fd);
      errno = reason;
      ThrowErrno(path, "cannot be written");
    }
    done += static_cast<size_t>(n);
  }
  if (close(fd) != 0) ThrowErrno(path, "cannot be written");
}

std::string ReadFile(const fs::path& path) {
  config::RegularFile file(path);
  ThrowIfNot(file, path);
  std::string text = file.ReadAll();
  ThrowIfNot(file, path);
  return text;
}

std::string HashText(const std::string& text) { return Hex(XXH3_64bits(text.data(), text.size())); }

std::string HashFile(const fs::path& path) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_64bits_reset(state.get());
  config::RegularFile file(path);
  ThrowIfNot(file, path);
  std::vector<char> piece(1 << 20);
  std::ptrdiff_t n = 0;
  while ((n = file.Read(piece.data(), piece.size())) > 0)
    XXH3_64bits_update(state.get(), piece.data(), static_cast<size_t>(n));
  ThrowIfNot(file, path);
  return Hex(XXH3_64bits_digest(state.get()));
}

void Sync(const fs::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) ThrowErrno(path, "cannot be synced");
  const int failed = fsync(fd);
  const int reason = errno;
  close(fd);
  errno = reason;
  // Some network file systems can't sync a folder and say so with EINVAL.
  if (failed && !(reason == EINVAL && fs::is_directory(path))) ThrowErrno(path, "cannot be synced");
}

void SyncTree(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_symlink()) Sync(entry.path());
  Sync(folder);
}

void PointLink(const fs::path& link, const std::string& target) {
  std::string name = ".";
  name.append(link.filename().string()).append(".tmp-").append(std::to_string(getpid()));
  const fs::path beside = link.parent_path() / name;
  unlink(beside.c_str());
  if (symlink(target.c_str(), beside.c_str()) != 0) ThrowErrno(beside, "link cannot be made");
  if (rename(beside.c_str(), link.c_str()) != 0) {
    const int reason = errno;
    unlink(beside.c_str());
    errno = reason;
    ThrowErrno(link, "link cannot be replaced");
  }
}

}  // namespace flowtrain::run
