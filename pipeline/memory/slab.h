// One block of host memory for all slots of a chain, page-locked where a CUDA driver is present.
// Allocated once at start, so that memory does not grow; owned by the chain, freed after the last
// batch that points into it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flowtrain::memory {

class Slab {
 public:
  // `want_pinned`: page-lock if a driver can be had; without one the memory is ordinary.
  // Throws std::system_error where there is not so much memory.
  Slab(size_t bytes, bool want_pinned);
  ~Slab();
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  uint8_t* data() const { return data_; }  // 4096-byte aligned
  size_t bytes() const { return bytes_; }
  bool pinned() const { return pinned_; }

 private:
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
  bool pinned_ = false;
};

}  // namespace flowtrain::memory
