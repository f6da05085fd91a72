// The stages that are open, of a phase or of a run's consumers: each is closed once, the last one first,
// so that none loses what it was opened on. Owned by what opened them; used by one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <flowtrain/stage.h>

#include "pipeline/graph/end_deadline.h"

namespace flowtrain::graph {

struct RunParts;

class OpenedStages {
 public:
  void Add(Stage& stage, std::string name) { stages_.push_back({&stage, std::move(name)}); }
  bool empty() const { return stages_.empty(); }
  // Closes them on a thread of its own. The name of a stage that has not returned from Close in time:
  // this object and the run must then outlive the process.
  std::optional<std::string> Close(RunParts& run, EndDeadline& deadline);

 private:
  struct Opened {
    Stage* stage;
    std::string name;
  };
  std::vector<Opened> stages_;
};

}  // namespace flowtrain::graph
