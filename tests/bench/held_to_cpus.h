// As many CPUs as workers. Else with one worker the other threads of a graph run on a core that a bare
// loop leaves idle, and what a second worker gains is no longer the same for both.
#pragma once

#include <sched.h>

namespace flowtrain::bench {

// While it lives every thread of the process, and what these start, has the first `cpus` CPUs that the
// process had; all of them where it had fewer.
class HeldToCpus {
 public:
  explicit HeldToCpus(int cpus);
  ~HeldToCpus();
  HeldToCpus(const HeldToCpus&) = delete;
  HeldToCpus& operator=(const HeldToCpus&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace flowtrain::bench
