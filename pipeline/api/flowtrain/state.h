// What a consumer saves and loads: small values by name, and files of its own in the checkpoint's
// folder. Used on the thread that runs the consumer.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include <flowtrain/export.h>
#include <flowtrain/value.h>

namespace flowtrain {

class FLOWTRAIN_API State {
 public:
  State(std::filesystem::path folder, Value values) : folder_(std::move(folder)), values_(std::move(values)) {}

  void Set(const std::string& key, Value value) { values_.Set(key, std::move(value)); }
  // Throws Error, naming the key and the checkpoint, where it is missing.
  const Value& Get(const std::string& key) const;
  // A file of the checkpoint: to be written in Save, read in Load.
  std::filesystem::path File(const std::string& name) const { return folder_ / name; }
  const Value& values() const { return values_; }

 private:
  std::filesystem::path folder_;
  Value values_;
};

}  // namespace flowtrain
