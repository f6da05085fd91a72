// The file of --batch-hashes: a line "input epoch batch hash" for each batch a consumer has committed.
// Runs are compared by these lines as a set. Appended to, so that a resumed run can use the same file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>

namespace flowtrain::graph {

class BatchHashes {
 public:
  explicit BatchHashes(const std::filesystem::path& path);  // throws Error
  ~BatchHashes();
  BatchHashes(const BatchHashes&) = delete;
  BatchHashes& operator=(const BatchHashes&) = delete;
  // Takes back the lines of `input` from this batch on: a run that goes on before them writes them again.
  // Throws Error.
  void DropFrom(const std::string& input, uint64_t epoch, uint64_t batch);
  // Throws Error.
  void Write(const std::string& input, uint64_t epoch, uint64_t batch, uint64_t hash);

 private:
  const std::string path_;
  std::mutex mutex_;  // protects file_
  std::FILE* file_;
};

}  // namespace flowtrain::graph
