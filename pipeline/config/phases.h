// The phases of a graph: read from its text and laid over it. Main thread.
#pragma once

#include <string>
#include <vector>

#include "pipeline/config/faults.h"
#include "pipeline/config/overrides.h"
#include "pipeline/config/stage_entries.h"

namespace flowtrain::config {

inline constexpr uint64_t kMostEpochs = 1ull << 31;  // of one phase

// One entry of "phases", as written.
struct PhaseText {
  std::string name, pointer;
  uint64_t epochs = 1;
  std::vector<Override> sets;
};

// "in phase "NAME": ", to stand before what is at fault there.
std::string InPhaseText(const PhaseText& phase);

// Takes "phases" out of the graph.
std::vector<PhaseText> TakePhases(Value& graph, Faults& faults);

// The graph as it is in one phase. A phase sets parameters of stages, nothing else.
Value InPhase(const PhaseText& phase, const Value& graph, Faults& faults);

// A consumer lives through all phases: only what its declaration lets change may differ.
void CheckConsumers(const PhaseText& phase, const std::vector<StageEntry>& base,
                    const std::vector<StageEntry>& changed, Faults& faults);

// Notes in `graph`, whose phases are built, what its run folder keeps of them and what a resumed run
// must not change.
void AddPhases(const std::vector<PhaseText>& phases, ValidatedGraph& graph);

}  // namespace flowtrain::config
