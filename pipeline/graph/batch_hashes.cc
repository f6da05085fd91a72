#include "pipeline/graph/batch_hashes.h"

#include <flowtrain/error.h>

#include <cerrno>
#include <cinttypes>
#include <cstring>

namespace flowtrain::graph {

BatchHashes::BatchHashes(const std::filesystem::path& path) : path_(path.string()), file_(std::fopen(path.c_str(), "a")) {
  if (file_ == nullptr) throw Error("can't write batch hashes to " + path.string() + ": " + std::strerror(errno));
}

BatchHashes::~BatchHashes() { std::fclose(file_); }

void BatchHashes::Write(const std::string& input, uint64_t epoch, uint64_t batch, uint64_t hash) {
  const std::lock_guard lock(mutex_);
  std::fprintf(file_, "%s %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", input.c_str(), epoch, batch, hash);
  if (std::fflush(file_) != 0) throw Error("can't write batch hashes to " + path_ + ": " + std::strerror(errno));
}

}  // namespace flowtrain::graph
