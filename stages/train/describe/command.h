// `flowtrain model describe`. Free of LibTorch: it is opened once the graph is known to be right.
#pragma once

#include <flowtrain/graph_command.h>

namespace flowtrain::train {

class DescribeModel final : public GraphCommand {
 public:
  std::string Help() const override {
    return "Show what a graph's network costs, part by part, and its experts.";
  }
  int Run(GraphReader& graphs, const std::vector<std::string>& arguments, std::ostream& out,
          std::ostream& err) override;
};

}  // namespace flowtrain::train
