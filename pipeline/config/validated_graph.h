// A graph that can run: names resolved, defaults filled in, types and shapes checked. Only
// config::Load makes one, and the executor takes nothing else. A plain value.
#pragma once

#include <flowtrain/batch.h>
#include <flowtrain/declaration.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/config/framework_params.h"

namespace flowtrain::config {

struct StageNode {
  std::string name;
  const StageDeclaration* declaration = nullptr;  // lives in the registry
  Value params;         // all of the stage's own parameters, defaults filled in
  std::string pointer;  // where it stands in the file: "/stages/files"
};

// One tensor of a staged batch: what stands under a name when a sample reaches its row.
struct RowTensor {
  std::string name;
  DType dtype = DType::kU8;
  std::vector<int64_t> shape;  // of one row: {height, width, channels}, or {} for a label
  int last_maker = -1;         // index in Chain::transforms of the stage whose output is the row; -1: a label
};

// A source that leads into another one.
struct UpstreamNode {
  StageNode node;
  std::string into;  // that other one's name
};

// source -> transforms -> staging
struct Chain {
  StageNode source;
  std::vector<UpstreamNode> upstream;  // what the source draws from; each before the one it leads into
  SourceParams source_params;
  std::vector<StageNode> transforms;
  std::vector<uint64_t> streams;  // per transform: the random stream (Rng::HashStream of its rng_key)
  std::string staging;            // the staging stage's name
  StagingParams staging_params;
  std::vector<RowTensor> rows;
};

struct BatchEdge {
  std::string from;  // a staging or batch transform stage
  std::string to;    // a batch transform or consumer
  std::string port;  // the input's name
};

struct Phase;

struct ValidatedGraph {
  std::string name;   // with "-demo" (the profile's name) behind it where a profile applied
  std::string file;   // as given on the command line
  uint64_t seed = 0;
  std::vector<Chain> chains;
  std::vector<StageNode> batch_transforms;  // in the order in which batches flow
  std::vector<StageNode> consumers;
  std::vector<BatchEdge> batch_edges;
  MetricsParams metrics;
  RunParams run;
  // The profile that applied, the variable it stands in for, and, where it applied because that is
  // unset, its "why"; empty: none.
  std::string profile, profile_variable, profile_why;
  // The environment's variables that strings of the graph were made from.
  std::vector<std::pair<std::string, std::string>> variables;
  // What the run goes through, one after the other; empty: this graph itself, once.
  std::vector<Phase> phases;
  // Warnings to whoever wrote the graph, each with its place: parameters under an old name.
  std::vector<std::string> notes;
  // The whole graph as JSON with every default: what the run folder keeps.
  Value resolved;
  // Data and training parameters only, by JSON Pointer: what a resumed run must not change.
  std::vector<std::pair<std::string, Value>> fixed;
  // Those of them that have their declaration's default, by pointer.
  std::set<std::string> at_default;
  // Those of them that say where a source's files lie, of sources that are the same in every phase:
  // pointer -> the source's name.
  std::map<std::string, std::string> source_paths;
};

// A part of a run: the graph with some parameters set differently, for so many epochs.
struct Phase {
  std::string name;
  uint64_t epochs = 1;
  ValidatedGraph graph;  // the same stages and edges; has no phases
};

}  // namespace flowtrain::config
