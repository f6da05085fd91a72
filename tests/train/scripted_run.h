// The engine's part in a trainer's run, played from a script: endless streams that begin after what
// was committed, interrupts at a given batch, checkpoints into folders. For tests; one thread.
#pragma once

#include <flowtrain/stage.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <flowtrain/testing/made_stage.h>
#include "support/scratch_folder.h"
#include "train/fit_batch.h"

namespace flowtrain::train::test {

struct SavedRun {
  std::filesystem::path folder;
  Value values;
  std::map<std::string, uint64_t> committed;  // batches, by input
};

class ScriptedRun final : public RunContext {
 public:
  struct Stream {
    InputInfo info;
    std::function<BatchContent(uint64_t epoch, uint64_t index)> make;
    uint64_t stop_at = UINT64_MAX;  // Pull gives no batch from this one on: an interrupt
    uint64_t pulled = 0, committed = 0;
  };
  struct Kept {
    std::string tag;
    double metric;
    int64_t step;
  };

  // Makes train.segmentation from `params` and opens it; `shape` is of both inputs. `resume`:
  // loads. `provisions`: what it can look up.
  ScriptedRun(const Value& params, const BatchShape& shape, const SavedRun* resume = nullptr,
              const std::vector<Provision>& provisions = {});
  ~ScriptedRun() override;

  void Run() { consumer_->Run(*this); }
  // What the engine does after an interrupt.
  SavedRun Save();
  // The values under `key` of the records of this kind.
  std::vector<double> Recorded(const std::string& kind, const std::string& key) const;
  std::string summary_of(const std::string& name) const;

  Batch Pull(std::string_view input) override;
  void Commit(const Batch& batch, std::string_view input) override;
  const InputInfo& input(std::string_view name) const override { return Find(name).info; }
  const PhaseInfo& phase() const override { return phase_info; }
  bool stopping() const override { return stopped_; }
  bool Checkpoint(const std::string& tag, double metric) override;
  void Record(Value fields) override { records.push_back(std::move(fields)); }
  void Progress(const ProgressReport&) override {}
  void Summary(const std::string& name, const std::string& value) override {
    summaries[name] = value;
  }
  void Info(const std::string& message) override { infos.push_back(message); }
  void Warn(const std::string& message) override { warnings.push_back(message); }
  Instruments& metrics() override { return instruments; }
  std::filesystem::path run_dir() const override { return folder_.path(); }

  std::map<std::string, Stream, std::less<>> streams;
  std::vector<Kept> checkpoints;
  std::vector<Value> records;
  std::map<std::string, std::string> summaries;
  std::vector<std::string> infos, warnings;
  testing::TestInstruments instruments;
  PhaseInfo phase_info;

 private:
  const Stream& Find(std::string_view input) const;

  const ScratchFolder folder_;
  std::unique_ptr<Consumer> consumer_;
  bool stopped_ = false;
  int saves_ = 0;
};

}  // namespace flowtrain::train::test
