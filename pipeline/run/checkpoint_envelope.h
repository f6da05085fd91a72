// state.json of one checkpoint: what the consumer saved, and what else the folder must hold to be
// whole. Plain functions, used by CheckpointStore.
#pragma once

#include <flowtrain/value.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace flowtrain::run {

struct CheckpointEntry {
  std::string tag;
  double metric = 0;   // higher is better; NaN: unranked
  int64_t serial = 0;  // counts saves, over resumed runs too
};

struct LoadedCheckpoint {
  std::filesystem::path folder;
  std::string tag;
  double metric = 0;
  Value state;
};

// How closely a checkpoint's files are looked at: by name and size, or read as a whole (1 GB/s and more).
enum class Check : uint8_t { kSizes, kContent };

// Writes state.json beside the files that stand in `folder`, and lists them with sizes and hashes.
// Throws Error.
void WriteEnvelope(const std::filesystem::path& folder, const CheckpointEntry& entry, Value state);

// Throws Error naming the file that is missing, damaged or of another format.
LoadedCheckpoint ReadEnvelope(const std::filesystem::path& folder, Check check,
                              CheckpointEntry* entry = nullptr);

// The whole checkpoints (by name and size) in a run's folder `checkpoints`; what is not whole is passed
// over, and why goes to `faults`.
std::vector<CheckpointEntry> ListCheckpoints(const std::filesystem::path& checkpoints,
                                             std::vector<std::string>* faults = nullptr);

}  // namespace flowtrain::run
