#include "pipeline/graph/batch_hashes.h"

#include <flowtrain/error.h>

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace flowtrain::graph {

BatchHashes::BatchHashes(const std::filesystem::path& path) : path_(path.string()), file_(std::fopen(path.c_str(), "a")) {
  if (file_ == nullptr) throw Error("can't write batch hashes to " + path.string() + ": " + std::strerror(errno));
}

BatchHashes::~BatchHashes() { std::fclose(file_); }

void BatchHashes::DropFrom(const std::string& input, uint64_t epoch, uint64_t batch) {
  const std::lock_guard lock(mutex_);
  if (!std::filesystem::is_regular_file(path_)) return;  // a pipe keeps nothing
  std::string kept, line;
  bool dropped = false;
  std::ifstream in(path_);
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string name;
    uint64_t line_epoch = 0, line_batch = 0;
    words >> name >> line_epoch >> line_batch;
    const bool past = std::pair(line_epoch, line_batch) >= std::pair(epoch, batch);
    // A kill may have cut the last line short.
    const bool torn = !words || in.eof();
    if ((name == input && past) || torn) {
      dropped = true;
    } else {
      kept += line + "\n";
    }
  }
  if (!dropped) return;
  // Opened to append: what is written after the cut stands at the file's start.
  if (ftruncate(fileno(file_), 0) != 0 || std::fwrite(kept.data(), 1, kept.size(), file_) != kept.size() || std::fflush(file_) != 0)
    throw Error("can't write batch hashes to " + path_ + ": " + std::strerror(errno));
}

void BatchHashes::Write(const std::string& input, uint64_t epoch, uint64_t batch, uint64_t hash) {
  const std::lock_guard lock(mutex_);
  std::fprintf(file_, "%s %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", input.c_str(), epoch, batch, hash);
  if (std::fflush(file_) != 0) throw Error("can't write batch hashes to " + path_ + ": " + std::strerror(errno));
}

}  // namespace flowtrain::graph
