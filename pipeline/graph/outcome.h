// How a start or a run ends.
#pragma once

#include <flowtrain/error.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace flowtrain::graph {

// A stage refused to start, with the place in the graph file: a fault of the graph, not of the run.
class OpenRefused : public Error {
 public:
  using Error::Error;
  ~OpenRefused() override;
};

// A stage did not return from Open when the run was told to stop, or from Close when the start had
// failed: leave the process with _exit.
class OpenAbandoned : public Error {
 public:
  explicit OpenAbandoned(const std::string& stage, std::exception_ptr cause = nullptr)
      : Error(stage), cause_(std::move(cause)) {}
  ~OpenAbandoned() override;
  std::string stage() const { return what(); }
  // What ended the start; null: it was told to stop.
  const std::exception_ptr& cause() const { return cause_; }

 private:
  const std::exception_ptr cause_;
};

struct Outcome {
  enum Kind { kDone, kInterrupted, kFailed } kind = kDone;
  std::string error;      // kFailed: stage, cause, sample
  std::string abandoned;  // what never returned; not empty: leave the process with _exit
};

// Rows committed and time in Pull, of consumers that are no observers.
struct Totals {
  uint64_t images = 0;
  double waited_s = 0;  // of the main consumer that waited most
};

}  // namespace flowtrain::graph
