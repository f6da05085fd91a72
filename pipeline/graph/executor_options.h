// What the program may ask of an executor besides its graph.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

namespace flowtrain::graph {

struct ExecutorOptions {
  std::optional<std::filesystem::path> batch_hashes;
  bool poison_freed_slots = false;  // tests: what is read too late is seen
  std::chrono::milliseconds grace{1000};            // for bodies to return after the end
  std::chrono::milliseconds interrupt_limit{30000};  // for consumers to finish a step after Ctrl-C
};

}  // namespace flowtrain::graph
