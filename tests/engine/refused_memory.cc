#include "engine/refused_memory.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> refused_from{SIZE_MAX};

}  // namespace

// A sanitizer has operators of its own, and knows by them what it looks at.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* operator new(size_t bytes) {
  if (bytes >= refused_from.load(std::memory_order_relaxed)) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

// As well, so that all that the delete below gives back comes from here: a sanitizer has its own.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return bytes >= refused_from.load(std::memory_order_relaxed) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

#endif

namespace flowtrain::testing {

bool RefusedMemory::Possible() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

RefusedMemory::RefusedMemory(size_t bytes) { refused_from = bytes; }
RefusedMemory::~RefusedMemory() { refused_from = SIZE_MAX; }

}  // namespace flowtrain::testing
