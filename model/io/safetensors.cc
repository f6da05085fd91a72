#include "model/io/safetensors.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "model/io/mapped_file.h"
#include "model/io/safetensors_header.h"

namespace flowtrain::model {
namespace {

constexpr size_t kAlignment = 8;

constexpr std::array<at::ScalarType, kElementTypes.size()> kScalarTypes =
    {  // in the order of ElementType
        at::kDouble, at::kFloat, at::kHalf, at::kBFloat16,
        at::kLong,   at::kInt,   at::kByte, at::kBool};

at::ScalarType ScalarOf(ElementType type) { return kScalarTypes[static_cast<size_t>(type)]; }

ElementType ElementOf(const std::string& name, at::ScalarType type) {
  const auto found = std::find(kScalarTypes.begin(), kScalarTypes.end(), type);
  if (found == kScalarTypes.end()) {
    throw std::runtime_error("tensor '" + name + "': type " + toString(type) + " is not one of " +
                             kElementTypeNames);
  }
  return static_cast<ElementType>(found - kScalarTypes.begin());
}

[[noreturn]] void ThrowErrno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A new file that is removed again unless Finish was reached.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (fd_ < 0) ThrowErrno("cannot be created");
  }
  ~NewFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void Write(const void* data, size_t bytes) {
    const char* next = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(fd_, next, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) ThrowErrno("cannot be written");
      next += written;
      bytes -= static_cast<size_t>(written);
    }
  }

  void Finish() {
    if (::fsync(fd_) != 0) ThrowErrno("cannot be synced");
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) ThrowErrno("cannot be closed");
  }

 private:
  const std::filesystem::path path_;
  int fd_;
};

SafetensorsHeader PlanLayout(const TensorMap& tensors, const Metadata& metadata) {
  SafetensorsHeader header{{}, metadata};
  for (const auto& [name, tensor] : tensors) {
    header.entries.push_back(
        {name, ElementOf(name, tensor.scalar_type()), tensor.sizes().vec(), 0, 0});
  }
  std::stable_sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return ElementBytes(a.type) > ElementBytes(b.type);
  });
  uint64_t position = 0;
  for (SafetensorsEntry& entry : header.entries) {
    entry.begin = position;
    position += tensors.at(entry.name).numel() * ElementBytes(entry.type);
    entry.end = position;
  }
  return header;
}

void Write(const std::filesystem::path& path, const TensorMap& tensors, const Metadata& metadata) {
  const SafetensorsHeader header = PlanLayout(tensors, metadata);
  std::string json = FormatSafetensorsHeader(header);
  json.resize((json.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const uint64_t length = json.size();

  NewFile file(path);
  file.Write(&length, sizeof length);
  file.Write(json.data(), json.size());
  for (const SafetensorsEntry& entry : header.entries) {
    const at::Tensor tensor = tensors.at(entry.name).detach().cpu().contiguous();
    file.Write(tensor.const_data_ptr(), tensor.nbytes());
  }
  file.Finish();
}

at::Tensor View(const std::shared_ptr<MappedFile>& file, uint64_t data_start,
                const SafetensorsEntry& entry) {
  const at::ScalarType type = ScalarOf(entry.type);
  if (entry.begin == entry.end) return at::empty(entry.shape, type);
  char* data = file->data() + data_start + entry.begin;
  const at::Tensor view = at::from_blob(
      data, entry.shape, [file](void*) {}, type);
  // A foreign file may pack a double after three bytes.
  return reinterpret_cast<uintptr_t>(data) % ElementBytes(entry.type) == 0 ? view : view.clone();
}

SafetensorsFile Read(const std::filesystem::path& path) {
  const auto file = std::make_shared<MappedFile>(path);
  const SafetensorsLayout layout = ParseSafetensorsFile({file->data(), file->size()});
  SafetensorsFile result{{}, layout.header.metadata};
  for (const SafetensorsEntry& entry : layout.header.entries) {
    result.tensors.emplace(entry.name, View(file, layout.data_start, entry));
  }
  return result;
}

}  // namespace

void WriteSafetensors(const std::filesystem::path& path, const TensorMap& tensors,
                      const Metadata& metadata) {
  try {
    Write(path, tensors, metadata);
  } catch (const std::exception& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

SafetensorsFile ReadSafetensors(const std::filesystem::path& path) {
  try {
    return Read(path);
  } catch (const std::exception& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace flowtrain::model
