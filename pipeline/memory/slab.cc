#include "pipeline/memory/slab.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "pipeline/memory/cuda_driver.h"

namespace flowtrain::memory {

Slab::Slab(size_t bytes, bool want_pinned) {
  constexpr size_t kPage = 4096;
  bytes_ = (bytes + kPage - 1) / kPage * kPage;
  void* block = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "can't have " + std::to_string(bytes_) + " bytes of memory");
  }
  data_ = static_cast<uint8_t*>(block);
  if (want_pinned) pinned_ = CudaDriver::Get().PageLock(data_, bytes_);
  // Touch every page now: a page fault inside a decode would count as decoding.
  if (!pinned_) std::memset(data_, 0, bytes_);
}

Slab::~Slab() {
  if (pinned_) CudaDriver::Get().PageUnlock(data_);
  munmap(data_, bytes_);
}

}  // namespace flowtrain::memory
