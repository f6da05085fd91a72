// monitor.preview: a picture of what the network gets to see, every so many batches. An observer:
// it takes what it can keep up with and never holds up a run. Runs on its own thread.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>

namespace flowtrain::monitor {

class Preview final : public Consumer {
 public:
  struct Params {
    int64_t every = 100;
    int columns = 4;
    int rows = 4;
  };
  static void Declare(Declaration<Params>& d);
  explicit Preview(const Params& params) : params_(params) {}

  void Open(OpenContext& context) override;
  void Run(RunContext& context) override;

 private:
  const Params params_;
};

}  // namespace flowtrain::monitor
