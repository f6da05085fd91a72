#include <flowtrain/testing/consumer_runner.h>

namespace flowtrain::testing {

Batch TestRunContext::Pull(std::string_view input) {
  const auto found = batches.find(input);
  if (found == batches.end()) throw Error("no input \"" + std::string(input) + "\"");
  size_t& next = pulled_[std::string(input)];
  return next < found->second.size() ? found->second[next++] : Batch();
}

void TestRunContext::Commit(const Batch& batch, std::string_view input) {
  commits.emplace_back(std::string(input), batch.index());
}

const InputInfo& TestRunContext::input(std::string_view name) const {
  const auto found = inputs.find(name);
  if (found == inputs.end()) throw Error("no input \"" + std::string(name) + "\"");
  return found->second;
}

bool TestRunContext::Checkpoint(const std::string& tag, double) {
  checkpoints.push_back(tag);
  return true;
}

}  // namespace flowtrain::testing
