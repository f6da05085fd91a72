// A stage type in words: ports, what it does to what flows, and each parameter. Pure printing.
#pragma once

#include <ostream>

#include "pipeline/plugin/registry.h"

namespace flowtrain::cli {

inline constexpr const char* kStagingHelp =
    "Where samples become batches: rows of page-locked slots.";

void DescribeStage(const plugin::RegisteredStage& stage, std::ostream& out);
// The framework's own stage.
void DescribeStaging(std::ostream& out);

}  // namespace flowtrain::cli
