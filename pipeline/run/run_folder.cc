#include "pipeline/run/run_folder.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <optional>
#include <vector>

#include "pipeline/run/checkpoint.h"
#include "pipeline/run/files.h"

namespace flowtrain::run {
namespace fs = std::filesystem;
namespace {

std::string FileName(const std::string& name) {
  std::string out;
  for (char c : name)
    out +=
        std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' ? c : '_';
  if (out.empty() || out[0] == '.') out.insert(0, "run");
  return out;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return text;
}

// The moment and the number in "name-YYYYmmdd-HHMMSS[-n]", so that -10 comes after -9; empty:
// another graph's folder ("name-b-2026..." is not one of "name").
std::optional<std::pair<std::string, int>> Moment(const std::string& folder,
                                                  const std::string& name) {
  const std::string prefix = FileName(name) + "-";
  if (folder.rfind(prefix, 0) != 0) return std::nullopt;
  const std::string rest = folder.substr(prefix.size());
  const std::string form = "dddddddd-dddddd";
  if (rest.size() < form.size()) return std::nullopt;
  for (size_t i = 0; i < rest.size(); ++i) {
    const bool dash = i == 8 || i == form.size();
    if (dash ? rest[i] != '-' : !std::isdigit(static_cast<unsigned char>(rest[i])))
      return std::nullopt;
  }
  const std::string number = rest.size() > form.size() + 1 ? rest.substr(form.size() + 1) : "1";
  if (number.size() > 6) return std::nullopt;
  return std::pair(rest.substr(0, form.size()), std::stoi(number));
}

}  // namespace

RunFolder::RunFolder(fs::path path, Warn warn) : path_(std::move(path)), warn_(std::move(warn)) { Lock(); }

void RunFolder::Lock() {
  lock_fd_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_fd_ < 0) ThrowErrno(path_, "run folder cannot be opened");
  // File systems without locks are used without.
  if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock_fd_);
    lock_fd_ = -1;
    throw Error(path_.string() + ": another run writes into this folder; end it first");
  }
}

RunFolder::~RunFolder() {
  if (lock_fd_ >= 0) close(lock_fd_);
}

std::unique_ptr<RunFolder> RunFolder::Create(const fs::path& dir, const std::string& name,
                                             Warn warn) {
  std::error_code failed;
  fs::create_directories(dir, failed);
  if (failed) throw Error("run folder " + fs::absolute(dir).string() + ": cannot be made: " + failed.message() +
                " (--out FOLDER names another place)");
  const std::string base = FileName(name) + "-" + Now();
  for (int n = 1;; ++n) {
    const fs::path path = dir / (n == 1 ? base : base + "-" + std::to_string(n));
    // mkdir is what decides between runs that start in the same second.
    if (mkdir(path.c_str(), 0777) == 0)
      return std::unique_ptr<RunFolder>(new RunFolder(path, std::move(warn)));
    if (errno != EEXIST)
      ThrowErrno(fs::absolute(path), "run folder cannot be made (--out FOLDER names another place)");
  }
}

std::unique_ptr<RunFolder> RunFolder::Open(const fs::path& path, Warn warn) {
  if (!fs::is_directory(path)) throw Error(path.string() + ": no such run folder");
  if (!fs::exists(path / "graph.json"))
    throw Error(path.string() + ": is no run folder, it has no graph.json");
  auto folder = std::unique_ptr<RunFolder>(new RunFolder(path, std::move(warn)));
  folder->graph_ = ReadFile(path / "graph.json");
  return folder;
}

std::vector<fs::path> RunFolder::Resumable(const fs::path& dir, const std::string& name) {
  std::vector<std::pair<std::pair<std::string, int>, fs::path>> runs;
  std::error_code failed;
  for (fs::directory_iterator it(dir, failed), end; !failed && it != end; it.increment(failed))
    if (auto moment = Moment(it->path().filename().string(), name))
      runs.emplace_back(*moment, it->path());
  std::sort(runs.rbegin(), runs.rend());
  std::vector<fs::path> found;
  for (const auto& [moment, path] : runs)
    if (CheckpointStore::Any(path)) found.push_back(path);
  return found;
}

void RunFolder::WriteGraph(const std::string& json) {
  graph_ = json + "\n";
  WriteFile(path_ / "graph.json", graph_);
}

bool RunFolder::RemakeIfGone() {
  struct stat held {}, there {};
  if (fstat(lock_fd_, &held) == 0 && stat(path_.c_str(), &there) == 0 && held.st_ino == there.st_ino && held.st_dev == there.st_dev)
    return false;
  std::error_code failed;
  fs::create_directories(path_, failed);
  if (failed) throw Error(path_.string() + ": the run folder is gone, and can't be made anew: " + failed.message());
  close(lock_fd_);
  Lock();
  WriteFile(path_ / "graph.json", graph_);
  const std::lock_guard lock(mutex_);
  metrics_.file.reset();
  bad_.file.reset();
  return true;
}

void RunFolder::Record(const Value& fields) { AppendOrWarn(metrics_, fields.ToJson()); }

int64_t RunFolder::records_bytes() const {
  std::error_code failed;
  const auto bytes = fs::file_size(path_ / metrics_.name, failed);
  return failed ? 0 : static_cast<int64_t>(bytes);
}

void RunFolder::DropRecordsFrom(int64_t bytes) {
  const fs::path file = path_ / metrics_.name;
  if (bytes < 0 || records_bytes() <= bytes) return;
  std::error_code failed;
  fs::resize_file(file, static_cast<uintmax_t>(bytes), failed);
  if (failed) throw Error(file.string() + ": cannot be cut back: " + failed.message());
}

void RunFolder::RecordBad(const BadSampleRecord& r) {
  AppendOrWarn(bad_, Value(Value::Object{{"epoch", r.epoch},
                                         {"position", r.position},
                                         {"index", r.index},
                                         {"path", r.path},
                                         {"stage", r.stage},
                                         {"reason", r.reason},
                                         {"message", r.message}})
                         .ToJson());
}

void RunFolder::AppendOrWarn(Lines& lines, const std::string& line) {
  std::string fault;
  {
    std::lock_guard lock(mutex_);
    try {
      if (!lines.file) lines.file = std::make_unique<LineFile>(path_ / lines.name);
      lines.file->Append(line);
    } catch (const Error& e) {
      if (!lines.warned) fault = e.what();
      lines.warned = true;
    }
  }
  if (!fault.empty()) warn_(fault + " (the run goes on; said once)");
}

}  // namespace flowtrain::run
