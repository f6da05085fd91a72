#include "pipeline/graph/opened_stages.h"

#include "pipeline/graph/bounded_call.h"
#include "pipeline/graph/run_parts.h"

namespace flowtrain::graph {

std::optional<std::string> OpenedStages::Close(RunParts& run, EndDeadline& deadline) {
  if (stages_.empty()) return std::nullopt;
  run.SetAtWork(stages_.back().name);  // named even where the thread doesn't come to run in time
  const auto close_all = [this, &run] {
    for (; !stages_.empty(); stages_.pop_back()) {
      run.SetAtWork(stages_.back().name);
      stages_.back().stage->Close();
    }
  };
  std::optional<BoundedCall> call;
  try {
    call.emplace(close_all);
  } catch (const Error&) {  // no thread can be had: that has ended the run, and is no reason to leave them open
    close_all();
    return std::nullopt;
  }
  if (deadline.Wait([&](auto limit) { return call->Wait(limit); })) return std::nullopt;
  return run.at_work();
}

}  // namespace flowtrain::graph
