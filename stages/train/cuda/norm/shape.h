// How the norm of rows is shared out among threads. Read by the compiler of the host and by that of the
// GPU: nothing is included.
#ifndef FLOWTRAIN_TRAIN_NORM_SHAPE
#define FLOWTRAIN_TRAIN_NORM_SHAPE

namespace flowtrain::train::norm {

constexpr int kThreads = 256;       // a block's
constexpr int kMostColumns = 1024;  // a row's: a thread of a warp holds 32 numbers in registers

// Threads that share a row of `columns` numbers, read `vector` at once: a power of two, up to a warp, and
// as few as there can be with at most three reads each. With fewer threads a row more rows are in flight.
constexpr int LanesFor(int columns, int vector) {
  const int packs = columns / vector;
  int lanes = 1;
  while (lanes < 32 && packs > 3 * lanes) lanes *= 2;
  return lanes;
}

}  // namespace flowtrain::train::norm

#endif
