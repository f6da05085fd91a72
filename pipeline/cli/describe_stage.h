// A stage type in words, for a terminal: what it does to what flows, its ports, and each parameter.
// Pure printing.
#pragma once

#include <flowtrain/parameter.h>

#include <ostream>
#include <string>
#include <vector>

#include "pipeline/plugin/registry.h"

namespace flowtrain::cli {

// Lines of at most `width` characters.
void DescribeStage(const plugin::RegisteredStage& stage, size_t width, std::ostream& out);
// The framework's own stage.
void DescribeStaging(size_t width, std::ostream& out);

// "data", "training", "runtime".
const char* EffectName(Effect effect);
// What it does to what flows, one line each: `makes "mask" from encoded bytes, where there is one`.
std::vector<std::string> FlowLines(const StageDeclaration& declaration);

}  // namespace flowtrain::cli
