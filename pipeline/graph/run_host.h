// What the engine asks of the program around it: where messages, records and checkpoints go. The
// program implements it over the run folder; tests implement it over vectors. Called from any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <flowtrain/context.h>

namespace flowtrain::graph {

struct BadSampleInfo {
  uint64_t epoch = 0, position = 0, index = 0;
  std::string path, stage, reason, message;
};

class RunHost {
 public:
  virtual ~RunHost() = default;
  virtual void Info(const std::string& message) = 0;
  virtual void Warn(const std::string& message) = 0;
  virtual void Record(const Value& fields) = 0;
  virtual void BadSample(const BadSampleInfo& bad) = 0;
  // `images`: rows committed so far; `waited_s`: time in Pull so far.
  virtual void Progress(const ProgressReport& report, uint64_t images, double waited_s) = 0;
  virtual void Opening(const std::string& what, uint64_t done, uint64_t total) = 0;
  // A later phase was planned and begins; `settings`: what is in force in it.
  virtual void PhaseBegins(const PhaseInfo& phase, const std::string& settings) = 0;
  // A line of what is said at the end, of this stage; a later one takes the place of its namesake.
  virtual void Summary(const std::string& stage, const std::string& name, const std::string& value) = 0;
  // Writes a checkpoint whose content `writer` makes. Throws Error.
  virtual void SaveCheckpoint(const std::string& tag, double metric,
                              const std::function<Value(const std::filesystem::path& folder)>& writer) = 0;
  virtual std::filesystem::path run_dir() const = 0;
  virtual std::filesystem::path cache_dir() const = 0;
};

}  // namespace flowtrain::graph
