// What the process does with memory that was freed. Process-wide; called by programs, first thing in
// main, before there are other threads.
#pragma once

namespace flowtrain::memory {

// Freed memory stays with the process, up to 64 MiB an arena of the C library's. The encoded bytes of a
// sample are allocated by one thread and freed by another, some tens to hundreds of KiB each: by default
// glibc gives such memory back to the system and takes it anew, page fault by page fault, which costs 1
// to 2% of what decoding a JPEG of 500 x 375 does (tests/bench).
void KeepFreedMemory();

}  // namespace flowtrain::memory
