// Makes a stage of a graph from its declaration.
#pragma once

#include <flowtrain/error.h>
#include <flowtrain/stage.h>

#include <memory>
#include <string>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/outcome.h"
#include "pipeline/graph/run_parts.h"
#include "pipeline/graph/work.h"

namespace flowtrain::graph {

// What the run is at, meanwhile. Throws Error with the stage's name, also where the plugin made a stage
// of another kind.
template <class Kind>
std::unique_ptr<Kind> MakeStage(RunParts& run, const config::StageNode& node) {
  run.SetAtWork(node.name);
  try {
    std::unique_ptr<Stage> stage = node.declaration->create(node.params);
    auto* made = dynamic_cast<Kind*>(stage.get());
    if (made == nullptr) {
      throw Error("the plugin made something that is no " +
                  std::string(StageKindName(node.declaration->kind)));
    }
    stage.release();
    return std::unique_ptr<Kind>(made);
  } catch (...) {
    std::rethrow_exception(WithPlace(node.name, ""));
  }
}

// Opens it. Errors get its name, but for refusals, which have its place.
inline void OpenNamed(RunParts& run, Stage& stage, const config::StageNode& node, OpenContext& context) {
  run.SetAtWork(node.name);
  try {
    stage.Open(context);
  } catch (const OpenRefused&) {
    throw;
  } catch (...) {
    std::rethrow_exception(WithPlace(node.name, ""));
  }
}

}  // namespace flowtrain::graph
