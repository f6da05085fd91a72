// Memory that runs out where a test says so.
#pragma once

#include <cstddef>

namespace flowtrain::testing {

// While one lives, a `new` of `bytes` or more throws std::bad_alloc, on any thread.
class RefusedMemory {
 public:
  static bool Possible();  // false under a sanitizer
  explicit RefusedMemory(size_t bytes);
  ~RefusedMemory();
  RefusedMemory(const RefusedMemory&) = delete;
  RefusedMemory& operator=(const RefusedMemory&) = delete;
};

}  // namespace flowtrain::testing
