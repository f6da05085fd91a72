// Where the plugins lie that the test tree builds, and what these tests say often.
#pragma once

#include <filesystem>

#include "support/holds.h"

namespace flowtrain::plugin {

using flowtrain::testing::Holds;

inline const std::filesystem::path kOne = std::filesystem::path(TEST_PLUGINS) / "one";
inline const std::filesystem::path kTwo = std::filesystem::path(TEST_PLUGINS) / "two";
inline const std::filesystem::path kProvided = std::filesystem::path(TEST_PLUGINS) / "provided";

}  // namespace flowtrain::plugin
