// Checkpoints as the tests write them.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "pipeline/run/checkpoint.h"
#include "run/temp_folder.h"

namespace flowtrain::testing {

inline void NoWarning(const std::string& warning) { FAIL(warning); }

// One file of weights, and the step as its state.
inline run::CheckpointStore::Writer Write(int step) {
  return [step](const std::filesystem::path& folder) {
    Spit(folder / "model.safetensors", "weights " + std::to_string(step));
    return Value(Value::Object{{"step", step}});
  };
}

}  // namespace flowtrain::testing
