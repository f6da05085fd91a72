#include "pipeline/memory/freed_memory.h"

#include <malloc.h>

namespace flowtrain::memory {

void KeepFreedMemory() {
  // Both: to set one ends the C library's own adjustment of the other.
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
}

}  // namespace flowtrain::memory
