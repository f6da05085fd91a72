// The errors a stage may throw, and what the run does with each. They cross plugin boundaries, so
// their type information lives in libflowtrain_api.so. Any other exception ends the run like Error.
#pragma once

#include <stdexcept>
#include <string>

#include <flowtrain/export.h>

namespace flowtrain {

// Ends the run. The engine adds the stage and the sample.
class FLOWTRAIN_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what) : std::runtime_error(what) {}
  ~Error() override;
};

// The sample's content is at fault (can't be decoded): it is replaced while training and marked in
// validation, named once in the log and counted. `reason` is a short fixed phrase: it becomes a
// metric's label, so it never holds a path or a number.
class FLOWTRAIN_API BadSample : public Error {
 public:
  BadSample(std::string reason, const std::string& what) : Error(what), reason_(std::move(reason)) {}
  ~BadSample() override;
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

// Storage is at fault: the read is tried again with back-off, then the run ends. Never replaced.
class FLOWTRAIN_API Transient : public Error {
 public:
  explicit Transient(const std::string& what) : Error(what) {}
  ~Transient() override;
};

// The run was told to stop while a stage was at work (Ctrl-C during Open). Not a failure.
class FLOWTRAIN_API Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
  ~Cancelled() override;
};

}  // namespace flowtrain
