// What the program may ask of an executor besides its graph.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include <flowtrain/context.h>

namespace flowtrain::graph {

struct ExecutorOptions {
  ProvidedLookup find_provided;  // called on any thread; null: stages find nothing
  std::optional<std::filesystem::path> batch_hashes;
  bool poison_freed_slots = false;  // tests: what is read too late is seen
  std::chrono::milliseconds grace{800};             // for bodies to return: within the second
  std::chrono::milliseconds interrupt_limit{30000};  // for consumers to finish a step after Ctrl-C
};

}  // namespace flowtrain::graph
