// monitor.null: takes batches in and drops them, to see how fast a data pipeline is, or that it
// ends. Runs on its own thread.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <optional>

namespace flowtrain::monitor {

class Null final : public Consumer {
 public:
  struct Params {
    int64_t epochs = 1;
    std::optional<int64_t> batches;
  };
  static void Declare(Declaration<Params>& d);
  explicit Null(const Params& params) : params_(params) {}

  void Open(OpenContext& context) override;
  void Run(RunContext& context) override;
  void EnterPhase(const Consumer& planned, OpenContext& context) override;
  void Save(State& state) const override;
  void Load(const State& state) override;

 private:
  const Params params_;
  uint64_t rows_ = 0;
  uint64_t done_ = 0;  // batches, from the first epoch on, in this phase's size
};

}  // namespace flowtrain::monitor
