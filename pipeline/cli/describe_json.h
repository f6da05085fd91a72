// A stage type for tools: everything that its declaration says. Pure functions.
#pragma once

#include <flowtrain/declaration.h>

#include "pipeline/plugin/registry.h"

namespace flowtrain::cli {

Value StageJson(const plugin::RegisteredStage& stage);
// The framework's own stage.
Value StagingJson();

}  // namespace flowtrain::cli
