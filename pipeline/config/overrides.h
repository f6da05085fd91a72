// Sets values of a graph by JSON Pointer: --set, and the `set` of a profile. Main thread.
#pragma once

#include <flowtrain/value.h>

#include <string>
#include <vector>

#include "pipeline/config/faults.h"

namespace flowtrain::config {

// What a graph file may hold at its top.
const std::vector<std::string>& TopLevelKeys();

// One override; where its fault is reported is the caller's.
struct Override {
  std::string pointer;
  Value value;
};

// Puts the value at its pointer. Missing objects on the way are made, but no stage and no unknown
// section. Returns what is wrong, or nothing.
std::string Apply(const Override& override, Value& graph);

// "--set /stages/staging/batch=16" -> Override; faults are the command line's.
std::vector<Override> ParseSets(const std::vector<std::string>& sets, Faults& faults);

}  // namespace flowtrain::config
