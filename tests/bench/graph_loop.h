// The same work as a graph: memory -> transforms -> staging -> a consumer that drops batches.
#pragma once

#include <string>
#include <vector>

#include "bench/bare_loop.h"
#include "bench/made_jpegs.h"
#include "bench/measure.h"
#include "pipeline/plugin/loader.h"

namespace flowtrain::bench {

struct GraphSettings {
  std::string source;      // of the source, after its type
  std::string transforms;  // "\"decode\": {...}, ..." of the graph file, each with a comma behind it
  std::string chain;       // "decode -> augment -> "
  int workers = 1, batch = 32;
  uint64_t samples = 0;
};

// The cost of the batches after the first few, between two moments in which the consumer waits.
Cost RunGraph(const GraphSettings& settings, const std::vector<File>& files, plugin::Loader& loader);

// The chain's transforms as the graph would make them.
Stages OpenStages(const GraphSettings& settings, plugin::Loader& loader);

}  // namespace flowtrain::bench
