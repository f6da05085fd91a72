// A loop over several threads that its caller watches.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace flowtrain::data {

// Calls body(0 .. count-1), each once, on `threads` threads, at least one; meanwhile the calling
// thread calls watch(number done) at once, every 50 ms and at the end. What either throws first
// ends the loop and is thrown, when the bodies that run have returned.
void InParallel(uint64_t count, int threads, const std::function<void(uint64_t)>& body,
                const std::function<void(uint64_t)>& watch);

// The same for bodies that take long: `stopped` becomes true once the loop ends, and what a body
// throws then is not told.
using StoppableBody = std::function<void(uint64_t, const std::atomic<bool>& stopped)>;
void InParallel(uint64_t count, int threads, const StoppableBody& body,
                const std::function<void(uint64_t)>& watch);

}  // namespace flowtrain::data
