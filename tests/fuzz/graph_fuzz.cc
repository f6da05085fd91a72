// A hostile graph file: any text, with --set and --profile behind it, gives a graph that can run or
// the faults that config promises, in a message that a terminal can take. What loads, loads again
// from its resolved text as the same.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/fakes.h"
#include "fuzz/fuzz_require.h"
#include "pipeline/config/json_text.h"

namespace flowtrain::config {
namespace {

constexpr size_t kLongestMessage = 1 << 19;

const Variables kVariables = {{"HOME", "/home"}, {"ROOT", "/data \"x\""}, {"N", "7"}};

void CheckFaults(const GraphError& error) {
  const std::string_view message = error.what();
  FUZZ_REQUIRE(!error.faults().empty() && !message.empty());
  FUZZ_REQUIRE(message.size() <= kLongestMessage);
  FUZZ_REQUIRE(std::none_of(message.begin(), message.end(),
                            [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; }));
  for (const Fault& fault : error.faults()) FUZZ_REQUIRE(!fault.message.empty());
}

void CheckGraph(const ValidatedGraph& graph) {
  FUZZ_REQUIRE(!graph.chains.empty() && !graph.consumers.empty() && !graph.name.empty());
  for (const Chain& chain : graph.chains) {
    FUZZ_REQUIRE(chain.source.declaration != nullptr && chain.staging_params.batch > 0);
    FUZZ_REQUIRE(chain.streams.size() == chain.transforms.size());
  }
  for (const StageNode& consumer : graph.consumers) FUZZ_REQUIRE(consumer.declaration != nullptr);
  for (const Phase& phase : graph.phases) CheckGraph(phase.graph);
}

// A value that holds "${" after it was put in is put in once more where it is read again.
void CheckAgain(const ValidatedGraph& graph) {
  const std::string text = Indented(graph.resolved);
  if (text.find("${") != text.npos) return;
  LoadOptions options;
  options.profile = "none";
  const ValidatedGraph again = LoadFake(text, options, kVariables);
  FUZZ_REQUIRE(again.resolved == graph.resolved && again.fixed == graph.fixed);
}

}  // namespace
}  // namespace flowtrain::config

// The graph ends at a zero byte; what follows, up to the next, is a --set where it begins with '/',
// else the profile.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowtrain::config;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(all.find('\0'), all.size());
  LoadOptions options;
  for (size_t at = end + 1; at < all.size();) {
    const size_t next = std::min(all.find('\0', at), all.size());
    const std::string option(all.substr(at, next - at));
    if (option.starts_with('/')) {
      options.sets.push_back(option);
    } else {
      options.profile = option;
    }
    at = next + 1;
  }
  try {
    const ValidatedGraph graph = LoadFake(std::string(all.substr(0, end)), options, kVariables);
    CheckGraph(graph);
    CheckAgain(graph);
  } catch (const GraphError& error) {
    CheckFaults(error);
  }
  return 0;
}
