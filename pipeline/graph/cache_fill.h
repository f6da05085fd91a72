// Reads every sample of a graph's sources once, so that their caches hold the files before a run wants
// them. Knows no batch and no order: what a run draws from the sources is theirs. The program owns one.
#pragma once

#include <flowtrain/context.h>
#include <flowtrain/stage.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/run_parts.h"
#include "pipeline/storage/reads.h"

namespace flowtrain::graph {

// Of one source.
struct CacheFilled {
  std::string source;
  std::string cache;       // what keeps it, in words
  uint64_t samples = 0;
  uint64_t bad = 0;        // samples that could not be read; named as they came
  uint64_t held = 0;       // files, or pieces of shards, that the cache had
  uint64_t read = 0;       // ... that came from storage
  uint64_t unkept = 0;     // ... of which the cache did not keep so many
  uint64_t bytes = 0;      // in the cache, of this source
};

class CacheFill {
 public:
  CacheFill(const config::ValidatedGraph& graph, RunHost& host, metrics::RunMetrics& metrics, ProvidedLookup find_provided);
  // Those of the graph's sources that keep a cache on disk, in any phase, in the graph's order; empty: there
  // are none. Throws OpenRefused, Error, Cancelled. `abandon` is called when a read has not returned a second
  // after Stop, with its source's name: it must end the process.
  std::vector<CacheFilled> Run(const std::function<void(const std::string& source)>& abandon);
  void Stop() { run_.Stop(); }  // any thread

 private:
  CacheFilled Fill(const config::Chain& chain, const config::StageNode& node, storage::Cache& cache);
  void ReadAll(const Source& source, const config::Chain& chain, CacheFilled& filled, const std::optional<storage::Cached>& cached);
  void WaitFor(const std::atomic<int>& running, const std::atomic<uint64_t>& done, const CacheFilled& filled);

  const config::ValidatedGraph& graph_;
  RunParts run_;
  std::function<void(const std::string&)> abandon_;
};

}  // namespace flowtrain::graph
