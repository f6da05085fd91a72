// The folder of one run: what was run, what it measured, what went wrong. The run owns one; any
// thread may write.
#pragma once

#include <flowtrain/value.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/run/line_file.h"

namespace flowtrain::run {

struct BadSampleRecord {
  uint64_t epoch = 0, position = 0, index = 0;
  std::string path, stage, reason, message;
};

class RunFolder {
 public:
  using Warn = std::function<void(const std::string&)>;

  // Makes dir/name-YYYYmmdd-HHMMSS, with -2, -3 ... after it where that is taken; `name` keeps
  // letters, digits, '.', '_' and '-'. Throws Error naming the folder. `warn` hears, once a file,
  // that a record could not be written: a full disk ends no run.
  static std::unique_ptr<RunFolder> Create(const std::filesystem::path& dir,
                                           const std::string& name, Warn warn);
  // A folder made before, to go on in. Throws Error where it is no run folder, or where another run
  // (one that still goes on) holds it.
  static std::unique_ptr<RunFolder> Open(const std::filesystem::path& path, Warn warn);
  // The runs of the graph `name` in `dir` that have a checkpoint, the newest first (for --resume auto).
  static std::vector<std::filesystem::path> Resumable(const std::filesystem::path& dir,
                                                      const std::string& name);

  ~RunFolder();
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log_file() const { return path_ / "log.txt"; }

  // graph.json: the graph as resolved, every default included. Throws Error.
  void WriteGraph(const std::string& json);
  void Record(const Value& fields);               // a line of metrics.jsonl
  // True: somebody has removed the folder while the run goes on, and it was made anew, with graph.json
  // and empty records. One thread at a time. Throws Error.
  bool RemakeIfGone();
  // How long metrics.jsonl is now; a checkpoint keeps it.
  int64_t records_bytes() const;
  // Cuts metrics.jsonl back to that: a run that goes on records the rest again. Before the first Record.
  // Throws Error.
  void DropRecordsFrom(int64_t bytes);
  void RecordBad(const BadSampleRecord& record);  // a line of bad_samples.jsonl

 private:
  struct Lines {
    const char* name;
    std::unique_ptr<LineFile> file;  // opened with the first record
    bool warned = false;
  };
  RunFolder(std::filesystem::path path, Warn warn);
  void Lock();
  void AppendOrWarn(Lines& lines, const std::string& line);

  const std::filesystem::path path_;
  const Warn warn_;
  int lock_fd_ = -1;  // the folder itself, locked as long as this lives
  std::string graph_;  // what graph.json holds
  std::mutex mutex_;  // guards what follows
  Lines metrics_{"metrics.jsonl"}, bad_{"bad_samples.jsonl"};
};

}  // namespace flowtrain::run
