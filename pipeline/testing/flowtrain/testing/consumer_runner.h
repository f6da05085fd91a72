// Runs a consumer on batches that the test made, and keeps what it reported. For tests; one thread.
#pragma once

#include <flowtrain/stage.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <flowtrain/testing/made_stage.h>

namespace flowtrain::testing {

class TestRunContext final : public RunContext {
 public:
  explicit TestRunContext(std::filesystem::path run_dir) : run_dir_(std::move(run_dir)) {}

  // Batches that Pull gives, in order; afterwards it gives an empty one.
  std::map<std::string, std::vector<Batch>, std::less<>> batches;
  std::map<std::string, InputInfo, std::less<>> inputs;
  PhaseInfo phase_info;

  Batch Pull(std::string_view input) override;
  void Commit(const Batch& batch, std::string_view input) override;
  const InputInfo& input(std::string_view name) const override;
  const PhaseInfo& phase() const override { return phase_info; }
  bool stopping() const override { return false; }
  bool Checkpoint(const std::string& tag, double metric) override;
  void Record(Value fields) override { records.push_back(std::move(fields)); }
  void Progress(const ProgressReport& report) override { progress.push_back(report); }
  void Summary(const std::string& name, const std::string& value) override {
    summary.emplace_back(name, value);
  }
  void Info(const std::string& message) override { infos.push_back(message); }
  void Warn(const std::string& message) override { warnings.push_back(message); }
  Instruments& metrics() override { return instruments; }
  std::filesystem::path run_dir() const override { return run_dir_; }

  std::vector<std::pair<std::string, uint64_t>> commits;  // input, batch index
  std::vector<std::string> checkpoints;                   // tags
  std::vector<Value> records;
  std::vector<ProgressReport> progress;
  std::vector<std::pair<std::string, std::string>> summary;
  std::vector<std::string> infos, warnings;
  TestInstruments instruments;

 private:
  const std::filesystem::path run_dir_;
  std::map<std::string, size_t, std::less<>> pulled_;
};

}  // namespace flowtrain::testing
