// How many I/O threads a chain would have needed. Pure functions.
#pragma once

#include <string>

namespace flowtrain::graph {

// Of a run, or of a part of it.
struct ReadingWork {
  int threads = 1;
  double seconds = 0;    // wall
  double reads = 0;
  double read_s = 0;     // of all threads
  double compute_s = 0;  // transforms, of all workers and chains
  int workers = 1;
  double waited_s = 0;   // of the consumer, in Pull
};

struct ReadingNeed {
  double a_read_s = 0;    // mean
  double busy = 0;        // threads that read, on average
  int threads = 0;        // that would keep up with the workers and the consumer
  bool held_up = false;   // the run went at the pace of its reads
};

// By Little's law: the mean time of a read, times the reads a second that the rest of the graph could
// take. What it could take is the pace it had, over the busier share of workers and consumer.
ReadingNeed NeedOf(const ReadingWork& work);
// "4 I/O threads, 20.3 ms a read: about 3 would do"
std::string ReadingText(const ReadingWork& work);

}  // namespace flowtrain::graph
