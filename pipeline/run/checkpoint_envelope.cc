#include "pipeline/run/checkpoint_envelope.h"

#include <flowtrain/error.h>

#include <limits>

#include "pipeline/config/json_text.h"
#include "pipeline/run/files.h"

namespace flowtrain::run {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kFormat = 2;  // 2: hashes of the state and the files, sizes of the records

struct Listed {
  fs::path path;
  int64_t bytes = 0;
  std::string xxh3;
};

Value ParseState(const fs::path& file) {
  config::Faults faults(file.string());
  if (std::optional<Value> value = config::ParseJson(ReadFile(file), faults)) return *value;
  throw Error(file.string() + ": cut short or damaged, it is no JSON text");
}

}  // namespace

void WriteEnvelope(const fs::path& folder, const CheckpointEntry& entry, Value state) {
  const fs::path file = folder / "state.json";
  if (fs::exists(file)) throw Error(file.string() + ": the name belongs to the checkpoint itself");
  Value::List files;
  for (const fs::directory_entry& found : fs::recursive_directory_iterator(folder))
    if (found.is_regular_file())
      files.push_back(Value::Object{{"name", fs::relative(found.path(), folder).string()},
                                    {"bytes", static_cast<int64_t>(found.file_size())},
                                    {"xxh3", HashFile(found.path())}});
  WriteFile(file, Value(Value::Object{{"format", kFormat},
                                      {"tag", entry.tag},
                                      {"metric", entry.metric},  // NaN becomes null
                                      {"serial", entry.serial},
                                      {"files", std::move(files)},
                                      {"state_xxh3", HashText(state.ToJson())},
                                      {"state", state}})
                          .ToJson() +
                      "\n");
}

LoadedCheckpoint ReadEnvelope(const fs::path& folder, Check check, CheckpointEntry* entry) {
  if (!fs::is_directory(folder)) throw Error(folder.string() + ": no such checkpoint");
  const fs::path file = folder / "state.json";
  if (!fs::exists(file))
    throw Error(file.string() + ": missing, the folder is no whole checkpoint");
  const Value whole = ParseState(file);
  LoadedCheckpoint out{folder, "", std::numeric_limits<double>::quiet_NaN(), {}};
  std::vector<Listed> files;
  try {
    const int64_t format = whole.At("format").AsInteger();
    if (format != kFormat)
      throw Error("format " + std::to_string(format) +
                  " was written by another version; this one reads format " +
                  std::to_string(kFormat));
    out.tag = whole.At("tag").AsString();
    if (const Value& metric = whole.At("metric"); !metric.is_null()) out.metric = metric.AsNumber();
    out.state = whole.At("state");
    if (HashText(out.state.ToJson()) != whole.At("state_xxh3").AsString())
      throw Error("damaged, its content is not what was written");
    for (const Value& listed : whole.At("files").AsList())
      files.push_back({folder / listed.At("name").AsString(), listed.At("bytes").AsInteger(),
                       listed.At("xxh3").AsString()});
    if (entry) *entry = {out.tag, out.metric, whole.At("serial").AsInteger()};
  } catch (const Error& e) {
    throw Error(file.string() + ": " + e.what());
  }
  for (const Listed& listed : files) {
    std::error_code failed;
    const auto bytes = static_cast<int64_t>(fs::file_size(listed.path, failed));
    if (failed)
      throw Error(listed.path.string() + (fs::exists(listed.path) ? ": this is no regular file"
                                                                  : ": missing, the checkpoint is not whole"));
    if (bytes != listed.bytes)
      throw Error(listed.path.string() + ": holds " + std::to_string(bytes) + " bytes, " +
                  std::to_string(listed.bytes) + " were written");
    if (check == Check::kContent && HashFile(listed.path) != listed.xxh3)
      throw Error(listed.path.string() + ": damaged, its content is not what was written");
  }
  return out;
}

std::vector<CheckpointEntry> ListCheckpoints(const fs::path& checkpoints,
                                             std::vector<std::string>* faults) {
  std::vector<CheckpointEntry> out;
  std::error_code failed;
  for (fs::directory_iterator it(checkpoints, failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string name = it->path().filename().string();
    if (name[0] == '.') continue;
    try {
      if (it->is_symlink() || !it->is_directory()) continue;
      CheckpointEntry entry;
      ReadEnvelope(it->path(), Check::kSizes, &entry);
      entry.tag =
          name;  // the folder is what is found, pruned and linked, even if somebody renamed it
      out.push_back(entry);
    } catch (const std::exception& fault) {
      // Not whole: never offered, never removed.
      if (faults != nullptr) faults->push_back(fault.what());
    }
  }
  return out;
}

}  // namespace flowtrain::run
