// The edges of a graph: chains "a -> b.port -> c" taken apart and resolved. Main thread.
#pragma once

#include <string>
#include <vector>

#include "pipeline/config/faults.h"
#include "pipeline/config/stage_entries.h"

namespace flowtrain::config {

// One arrow. Stages by their index among the entries.
struct Link {
  size_t from = 0, to = 0;
  std::string port;     // the input's name at a batch stage; empty at a transform or staging
  std::string pointer;  // of the edge's line
};

struct Links {
  std::vector<Link>
      all;  // whose both ends are known stages that fit each other; the others are faults
  std::vector<bool>
      excused;  // by stage: an arrow of it is at fault, so a missing connection is no news
};

Links ReadLinks(const Value& graph, const std::vector<StageEntry>& entries, Faults& faults);

}  // namespace flowtrain::config
