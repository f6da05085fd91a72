// How many I/O threads a chain would have needed. Pure functions.
#pragma once

#include <string>

namespace flowtrain::graph {

// Of a phase, or of a run without phases.
struct ReadingWork {
  int threads = 1;
  int read_ahead = 1 << 30;  // samples: no more are read at once
  double seconds = 0;        // wall
  double reads = 0;
  double read_s = 0;         // of all threads
  double compute_s = 0;      // transforms, of all workers and chains
  int workers = 1;
  double waited_s = 0;       // of the consumers, in Pull
  double own_compute_s = 0;  // of this chain
  double own_waited_s = 0;   // for this chain's batches
  bool now_and_then = false;  // a validation: its mean pace tells nothing
};

struct ReadingNeed {
  double a_read_s = 0;   // mean
  double busy = 0;       // threads that read, on average
  int threads = 0;       // that would keep up with the workers and the consumer; 0: nobody knows
  bool held_up = false;  // the run went at the pace of these reads
};

// By Little's law: the mean time of a read, times the reads a second that the rest of the graph could
// take. What it could take is the pace it had, over the busier share of workers and consumer. Of a chain
// that is read now and then: the pace of its own transforms.
ReadingNeed NeedOf(const ReadingWork& work);
// "4 I/O threads, 20.3 ms a read: about 3 would do"
std::string ReadingText(const ReadingWork& work);

}  // namespace flowtrain::graph
