// `flowtrain bench model`. Free of LibTorch: it is opened when the command runs.
#pragma once

#include <flowtrain/command.h>

namespace flowtrain::train {

class BenchModel final : public Command {
 public:
  std::string Help() const override { return "Measure the networks: steps, inference, and what is claimed of them."; }
  int Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) override;
};

}  // namespace flowtrain::train
