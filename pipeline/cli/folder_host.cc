#include "pipeline/cli/folder_host.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <cstdlib>

namespace flowtrain::cli {

// In a checkpoint's state: how long metrics.jsonl was.
constexpr const char* kRecordsBytes = "records_bytes";

FolderHost::FolderHost() : log_(terminal_), progress_(terminal_) {}

void FolderHost::UseFolder(std::unique_ptr<run::RunFolder> folder, int keep) {
  folder_ = std::move(folder);
  log_.OpenFile(folder_->log_file());
  checkpoints_ = std::make_unique<run::CheckpointStore>(folder_->path(), keep, [this](const std::string& warning) { Warn(warning); });
}

void FolderHost::GoOnFrom(const run::LoadedCheckpoint& checkpoint) {
  if (const Value* bytes = checkpoint.state.Find(kRecordsBytes)) folder_->DropRecordsFrom(bytes->AsInteger());
}

run::RunFolder& FolderHost::folder() const {
  if (folder_ == nullptr) throw flowtrain::Error("the run has not begun: there is no run folder yet");
  return *folder_;
}

void FolderHost::Record(const Value& fields) { folder().Record(fields); }

void FolderHost::BadSample(const graph::BadSampleInfo& bad) {
  folder().RecordBad({bad.epoch, bad.position, bad.index, bad.path, bad.stage, bad.reason, bad.message});
}

void FolderHost::Progress(const ProgressReport& report, uint64_t images, double waited_s) {
  progress_.Report(report, {images, waited_s, gpus_ != nullptr ? gpus_->Utilization() : -1});
}

void FolderHost::Opening(const std::string& what, uint64_t done, uint64_t total) { progress_.Opening(what, done, total); }

void FolderHost::PhaseBegins(const PhaseInfo&, const std::string& settings) {
  progress_.Finish();
  terminal_.Print(settings.substr(0, settings.find_last_not_of('\n') + 1));
}

void FolderHost::Summary(const std::string& stage, const std::string& name, const std::string& value) {
  const std::lock_guard lock(mutex_);
  for (SummaryLine& line : summary_) {
    if (line.stage != stage || line.name != name) continue;
    line.value = value;
    return;
  }
  summary_.push_back({stage, name, value});
}

run::SummaryLines FolderHost::summary() const {
  const std::lock_guard lock(mutex_);
  run::SummaryLines lines;
  for (const SummaryLine& line : summary_) {
    const bool others = std::any_of(summary_.begin(), summary_.end(), [&](const SummaryLine& other) {
      return other.name == line.name && other.stage != line.stage;
    });
    lines.emplace_back(others ? line.stage + ": " + line.name : line.name, line.value);
  }
  return lines;
}

void FolderHost::SaveCheckpoint(const std::string& tag, double metric,
                                const std::function<Value(const std::filesystem::path&)>& writer) {
  run::RunFolder& folder = this->folder();
  try {
    if (folder.RemakeIfGone()) {
      log_.OpenFile(folder.log_file());
      Warn("the run folder is gone: somebody has removed it; it is made anew, without what stood in it");
    }
    const std::filesystem::path written = checkpoints_->Save(tag, metric, [&](const std::filesystem::path& made) {
      Value state = writer(made);
      state.Set(kRecordsBytes, folder.records_bytes());
      return state;
    });
    const std::lock_guard lock(mutex_);
    checkpoint_fault_.clear();
    last_checkpoint_ = written;
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    checkpoint_fault_ = error.what();
    throw;
  }
}

std::string FolderHost::checkpoint_fault() const {
  const std::lock_guard lock(mutex_);
  return checkpoint_fault_;
}

std::filesystem::path FolderHost::last_checkpoint() const {
  const std::lock_guard lock(mutex_);
  return last_checkpoint_;
}

std::filesystem::path FolderHost::run_dir() const { return folder().path(); }

std::filesystem::path FolderHost::cache_dir() const {
  std::filesystem::path dir;
  if (const char* own = std::getenv("FLOWTRAIN_CACHE"); own != nullptr && *own != '\0') {
    dir = own;
  } else if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
    // The XDG base directory specification has relative ones ignored.
    dir = std::filesystem::path(xdg) / "flowtrain";
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    dir = std::filesystem::path(home) / ".cache" / "flowtrain";
  } else {
    throw flowtrain::Error("there is no folder for caches: set FLOWTRAIN_CACHE, HOME or, to an absolute path, XDG_CACHE_HOME");
  }
  std::error_code code;
  std::filesystem::create_directories(dir, code);
  if (code) throw flowtrain::Error("can't make the cache folder " + dir.string() + ": " + code.message() + " (FLOWTRAIN_CACHE names another place)");
  return dir;
}

}  // namespace flowtrain::cli
