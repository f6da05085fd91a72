// What the engine is held against: threads that take the next file, and run the very same stages over it
// into rows of memory, with nothing else around.
#pragma once

#include <flowtrain/stage.h>

#include <memory>
#include <vector>

#include "bench/made_jpegs.h"
#include "bench/measure.h"

namespace flowtrain::bench {

// The stages of a chain, opened.
struct Stages {
  std::vector<std::unique_ptr<Transform>> transforms;
  std::vector<uint64_t> streams;
};

// `samples` of them on `threads` threads; the cost leaves out starting and joining these,
// and a first round over all rows.
Cost RunBare(const Stages& stages, const std::vector<File>& files, int threads, uint64_t samples);

}  // namespace flowtrain::bench
