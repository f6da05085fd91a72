// The checkpoints' envelope: each is a folder that is either whole or not there, whatever happens
// while it is written. The run owns one store; Save is called from one thread at a time.
#pragma once

#include <flowtrain/value.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/run/checkpoint_envelope.h"

namespace flowtrain::run {

class CheckpointStore {
 public:
  // Writes its files into the folder and returns the state.
  using Writer = std::function<Value(const std::filesystem::path& folder)>;

  using Warn = std::function<void(const std::string&)>;

  // Checkpoints stand in run_folder/checkpoints: the newest `keep`, and the best one. What a killed
  // run left half written is removed, so the caller holds the RunFolder (one run a folder). `warn`
  // hears what could not be tidied up after a checkpoint was written. Throws Error.
  CheckpointStore(const std::filesystem::path& run_folder, int keep, Warn warn = nullptr);

  // Written beside, synced, renamed; then `latest` and `best` follow. `tag`: letters, digits, '.',
  // '_',
  // '-'; one that exists is replaced. `metric`: higher is better, NaN is unranked. Where it can't
  // be put in place the temporary folder is removed, earlier checkpoints are as they were, and Error
  // names path and reason. Returns the checkpoint's folder.
  std::filesystem::path Save(const std::string& tag, double metric, const Writer& writer);

  std::optional<std::filesystem::path> Latest() const;
  std::optional<std::filesystem::path> Best() const;

  // The newest whole checkpoint of a run, or the one that the folder itself is; every byte is checked.
  // One of a run's that is damaged is passed over, and `warn` hears which file. Throws Error naming the
  // file that is missing, damaged or of another format where there is none.
  static LoadedCheckpoint Load(const std::filesystem::path& run_or_checkpoint, const Warn& warn);
  // Whether a run has a checkpoint, whole or not.
  static bool Any(const std::filesystem::path& run_folder);

 private:
  const CheckpointEntry* Newest() const;
  const CheckpointEntry* BestEntry() const;
  bool Tidy(const char* what, const std::function<void()>& step) const;
  void PointLinks() const;
  void Prune();

  const std::filesystem::path folder_;
  const size_t keep_;
  const Warn warn_;
  std::vector<CheckpointEntry> entries_;
};

}  // namespace flowtrain::run
