// How a start or a run ends.
#pragma once

#include <flowtrain/error.h>

#include <cstdint>
#include <string>

namespace flowtrain::graph {

// A stage refused to start, with the place in the graph file: a fault of the graph, not of the run.
class OpenRefused : public Error {
 public:
  using Error::Error;
  ~OpenRefused() override;
};

// The run was told to stop while a stage was in Open, and it did not return: leave the process with
// _exit.
class OpenAbandoned : public Error {
 public:
  explicit OpenAbandoned(const std::string& stage) : Error(stage) {}
  ~OpenAbandoned() override;
  std::string stage() const { return what(); }
};

struct Outcome {
  enum Kind { kDone, kInterrupted, kFailed } kind = kDone;
  std::string error;      // kFailed: stage, cause, sample
  std::string abandoned;  // what never returned; not empty: leave the process with _exit
};

// Rows committed and time in Pull, of consumers that are no observers.
struct Totals {
  uint64_t images = 0;
  double waited_s = 0;
};

}  // namespace flowtrain::graph
