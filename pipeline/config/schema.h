// The format of a graph file as a JSON Schema (draft 2020-12), made from the stages' declarations,
// so that editors complete and check graph files. Pure function.
#pragma once

#include <flowtrain/declaration.h>

#include <vector>

namespace flowtrain::config {

// For graphs of these stages and the framework's own. Its "description" says what it leaves to
// Load.
Value GraphSchema(const std::vector<const StageDeclaration*>& stages);

}  // namespace flowtrain::config
