#include "pipeline/run/checkpoint.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "pipeline/config/checkpoint_tag.h"
#include "pipeline/run/files.h"

namespace flowtrain::run {
namespace fs = std::filesystem;
namespace {

constexpr const char* kHalfWritten = ".tmp-";  // .TAG.tmp-PID
constexpr const char* kMovedAside = ".old-";   // .TAG.old-PID

fs::path Beside(const fs::path& folder, const std::string& tag, const char* kind) {
  return folder / ("." + tag + kind + std::to_string(getpid()));
}

void CheckTag(const std::string& tag) {
  const bool fine = config::IsTagText(tag, config::kLongestTag) && tag[0] != '.' && tag != "latest" && tag != "best";
  if (!fine)
    throw Error("checkpoint \"" + tag + "\": a tag is letters, digits, '.', '_' and '-', at most " +
                std::to_string(config::kLongestTag) +
                ", does not start with '.', and is neither latest nor best");
}

// What a killed run left: half-written folders go, and a checkpoint that was moved aside comes
// back.
void Recover(const fs::path& folder) {
  std::vector<fs::path> hidden;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string()[0] == '.') hidden.push_back(entry.path());
  for (const fs::path& path : hidden) {
    const std::string name = path.filename().string();
    const size_t aside = name.rfind(kMovedAside);
    if (aside != std::string::npos) {
      const fs::path home = folder / name.substr(1, aside - 1);
      if (!fs::exists(home)) {
        fs::rename(path, home);
        continue;
      }
    }
    if (aside != std::string::npos || name.rfind(kHalfWritten) != std::string::npos)
      fs::remove_all(path);
  }
}

// Puts `made` in the place of `home`, so that `home` is whole at every moment.
void Replace(const fs::path& made, const fs::path& home, const fs::path& aside) {
  if (!fs::exists(home)) {
    if (rename(made.c_str(), home.c_str()) != 0) ThrowErrno(home, "cannot be put in place");
    return;
  }
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, home.c_str(), RENAME_EXCHANGE) == 0) return;
  // File systems without the exchange (NFS): for a moment only `aside` holds the old one, which
  // Recover brings back.
  if (errno != EINVAL && errno != ENOSYS) ThrowErrno(home, "cannot be replaced");
  if (rename(home.c_str(), aside.c_str()) != 0) ThrowErrno(home, "cannot be moved aside");
  if (rename(made.c_str(), home.c_str()) == 0) return;
  const int reason = errno;
  rename(aside.c_str(), home.c_str());
  errno = reason;
  ThrowErrno(home, "cannot be put in place");
}

// Gone in one step for every reader, then freed.
void Discard(const fs::path& folder, const std::string& tag) {
  const fs::path hidden = Beside(folder, tag, kHalfWritten);
  fs::remove_all(hidden);
  fs::rename(folder / tag, hidden);
  fs::remove_all(hidden);
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

const CheckpointEntry* NewestOf(const std::vector<CheckpointEntry>& entries) {
  auto it = std::max_element(entries.begin(), entries.end(),
                             [](auto& a, auto& b) { return a.serial < b.serial; });
  return it == entries.end() ? nullptr : &*it;
}

}  // namespace

CheckpointStore::CheckpointStore(const fs::path& run_folder, int keep, Warn warn)
    : folder_(run_folder / "checkpoints"),
      keep_(static_cast<size_t>(std::max(1, keep))),
      warn_(std::move(warn)) {
  try {
    fs::create_directories(folder_);
    Recover(folder_);
  } catch (const fs::filesystem_error& e) {
    throw Error(folder_.string() + ": " + e.code().message());
  }
  entries_ = ListCheckpoints(folder_);
}

const CheckpointEntry* CheckpointStore::Newest() const { return NewestOf(entries_); }

const CheckpointEntry* CheckpointStore::BestEntry() const {
  const CheckpointEntry* best = nullptr;
  for (const CheckpointEntry& entry : entries_) {
    if (std::isnan(entry.metric)) continue;
    // Of equal ones the first: a later one has shown nothing better.
    if (!best || entry.metric > best->metric ||
        (entry.metric == best->metric && entry.serial < best->serial))
      best = &entry;
  }
  return best;
}

fs::path CheckpointStore::Save(const std::string& tag, double metric, const Writer& writer) {
  CheckTag(tag);
  const fs::path home = folder_ / tag;
  const fs::path made = Beside(folder_, tag, kHalfWritten),
                 aside = Beside(folder_, tag, kMovedAside);
  const CheckpointEntry entry{tag, metric, Newest() ? Newest()->serial + 1 : 1};
  try {
    fs::create_directories(folder_);  // somebody may have tidied up
    fs::remove_all(made);
    fs::create_directory(made);
    WriteEnvelope(made, entry, writer(made));
    SyncTree(made);
    Replace(made, home, aside);
  } catch (const std::exception& e) {
    std::error_code ignored;  // the first failure is what is told
    fs::remove_all(made, ignored);
    throw Error("checkpoint " + home.string() + ": " + FirstLine(e.what()));
  }
  std::erase_if(entries_, [&](const CheckpointEntry& old) { return old.tag == tag; });
  entries_.push_back(entry);
  // The checkpoint stands. What it replaced (`made` now, or `aside`) goes once it is on the disk for good.
  if (!Tidy("its folder can't be synced, so older ones stay", [&] { Sync(folder_); })) return home;
  Tidy("the one before can't be removed", [&] {
    fs::remove_all(made);
    fs::remove_all(aside);
  });
  Tidy("links can't be set", [&] { PointLinks(); });
  Prune();
  Tidy("the folder can't be synced", [&] { Sync(folder_); });
  return home;
}

// What fails after a checkpoint was put in place takes nothing back, and is tried again with the next.
bool CheckpointStore::Tidy(const char* what, const std::function<void()>& step) const {
  try {
    step();
    return true;
  } catch (const std::exception& e) {
    if (warn_) warn_(folder_.string() + ": a checkpoint was written, but " + what + ": " + FirstLine(e.what()));
    return false;
  }
}

void CheckpointStore::PointLinks() const {
  if (const CheckpointEntry* newest = Newest()) PointLink(folder_ / "latest", newest->tag);
  if (const CheckpointEntry* best = BestEntry())
    PointLink(folder_ / "best", best->tag);
  else
    fs::remove(folder_ / "best");
}

void CheckpointStore::Prune() {
  const CheckpointEntry* best = BestEntry();
  const std::string best_tag = best ? best->tag : "";
  std::sort(entries_.begin(), entries_.end(), [](auto& a, auto& b) { return a.serial > b.serial; });
  for (size_t i = keep_; i < entries_.size();) {
    if (entries_[i].tag == best_tag) {
      ++i;
      continue;
    }
    const std::string tag = entries_[i].tag;
    const bool gone = Tidy("an old one can't be removed", [&] {
      // Removed by hand, perhaps: then there is nothing left to do.
      if (fs::exists(folder_ / tag)) Discard(folder_, tag);
    });
    if (gone) {
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

std::optional<fs::path> CheckpointStore::Latest() const {
  return Newest() ? std::optional(folder_ / Newest()->tag) : std::nullopt;
}

std::optional<fs::path> CheckpointStore::Best() const {
  return BestEntry() ? std::optional(folder_ / BestEntry()->tag) : std::nullopt;
}

bool CheckpointStore::Any(const fs::path& run_folder) {
  std::error_code failed;
  for (fs::directory_iterator it(run_folder / "checkpoints", failed), end; !failed && it != end;
       it.increment(failed)) {
    std::error_code unseen;
    if (it->path().filename().string()[0] != '.' && !it->is_symlink(unseen) && it->is_directory(unseen))
      return true;
  }
  return false;
}

LoadedCheckpoint CheckpointStore::Load(const fs::path& path, const Warn& warn) {
  std::error_code unseen;
  if (!fs::is_directory(path, unseen))
    throw Error(path.string() + ": no such run folder or checkpoint");
  if (fs::exists(path / "state.json", unseen)) return ReadEnvelope(path, Check::kContent);
  std::vector<std::string> faults;
  std::vector<CheckpointEntry> entries = ListCheckpoints(path / "checkpoints", &faults);
  std::sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.serial > b.serial; });
  for (const CheckpointEntry& entry : entries) {
    try {
      LoadedCheckpoint loaded = ReadEnvelope(path / "checkpoints" / entry.tag, Check::kContent);
      for (const std::string& fault : faults) warn("a checkpoint is passed over: " + fault);
      return loaded;
    } catch (const std::exception& fault) {
      faults.push_back(fault.what());
    }
  }
  std::string all;
  for (const std::string& fault : faults) all += "; " + fault;
  throw Error(path.string() + ": holds no checkpoint that is whole" +
              (all.empty() ? " (looked for checkpoints/*/state.json)" : all));
}

}  // namespace flowtrain::run
