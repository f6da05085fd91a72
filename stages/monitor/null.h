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

  void Run(RunContext& context) override;

 private:
  const Params params_;
};

}  // namespace flowtrain::monitor
