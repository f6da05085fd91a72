// Tells ThreadSanitizer what oneTBB puts in order: its library is not built for it, so that it sees
// neither that a put comes before the body that it starts, nor that every body comes before
// wait_for_all returns. Nothing in other builds. Narrower than suppressions, which hide bodies as well.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace flowtrain::graph {

// Whoever calls AfterOthers(mark) later comes after all that the caller has done until now.
inline void BeforeOthers([[maybe_unused]] void* mark) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(mark);
#endif
}
inline void AfterOthers([[maybe_unused]] void* mark) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(mark);
#endif
}

}  // namespace flowtrain::graph
