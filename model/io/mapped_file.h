// A file mapped into memory, private and writable: changes stay in this process. Shared by the
// tensors that view it. Private to this folder.
#pragma once

#include <cstddef>
#include <filesystem>

namespace flowtrain::model {

class MappedFile {
 public:
  // Throws std::system_error or std::runtime_error, without the path. Waits for nothing.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace flowtrain::model
