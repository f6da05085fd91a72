// By what a run that goes on from a checkpoint knows that a source still has the samples it had: a
// position is another sample where one came, went, or stands elsewhere now. On the thread that opens
// a phase; SaveSampleSets on whichever writes a checkpoint.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pipeline/config/validated_graph.h"

namespace flowtrain::graph {

struct SampleSet {
  std::string source;  // the stage's name
  uint64_t size = 0;
  uint64_t fingerprint = 0;  // Source::Fingerprint
  bool of_others = false;    // drawn from sources that lead into it
};

// Of a source that is open. Throws Error, with its name, where it has no samples.
SampleSet SampleSetOf(const Source& source, const config::StageNode& node);

// Adds them to what a checkpoint holds.
void SaveSampleSets(const std::vector<SampleSet>& sets, Value& state);

// What differs from a checkpoint's state, a line a source; empty: nothing that is known. `sets`:
// each behind those that it is drawn from. `moved`: the sources whose files are looked for in
// another place than the checkpoint's. `file`: the graph's, for messages.
std::string OtherSamples(const std::vector<SampleSet>& sets, const std::set<std::string>& moved,
                         const Value& state, const std::string& file);

// Whether a checkpoint tells this source's samples from as many others.
bool HasFingerprint(const Value& state, const std::string& source);

}  // namespace flowtrain::graph
