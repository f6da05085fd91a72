// The training plugin, opened through its own door. For tests; one thread.
#pragma once

#include <string>

#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/made_stage.h>

namespace flowtrain::train::test {

// Opens the plugin when the program starts, before anything else could open LibTorch.
const testing::CollectingRegistrar& Plugin();
// /proc/self/maps as it was right after that.
const std::string& MapsAfterOpening();

// Small enough for a test: edgenext_xx_small, one thread, every step logged. `changes` are set on
// top; a key may be a path ("optimizer/lr").
Value Tiny(const Value::Object& changes = {});
void SetAt(Value& target, const std::string& path, Value value);

}  // namespace flowtrain::train::test
