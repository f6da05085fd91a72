// Counts what this thread's operators do while it lives, part by part
// (model/describe/part_scope.h): multiply-adds, from the operators that really run, and memory,
// from what LibTorch's allocator is asked for and not given back. Whatever a network is made of is
// counted; nobody has to keep formulas up to date. One at a time a thread, and no profile beside
// it. On a CPU: a GPU's work is not seen.
#pragma once

#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace flowtrain::model {

struct PartCount {
  int64_t multiply_adds = 0;
  int64_t held_bytes = 0;
};

class ForwardCounter {
 public:
  ForwardCounter();
  ~ForwardCounter();
  ForwardCounter(const ForwardCounter&) = delete;
  ForwardCounter& operator=(const ForwardCounter&) = delete;

  // So far, by the name of each part that was entered; "" outside of any. Bytes count where they
  // were allocated, and only while they are held: behind a forward pass whose output lives, that is
  // what backward needs, once a storage, and the output. What was there before, such as weights and
  // images, is not in it.
  std::map<std::string, PartCount> Parts() const;

 private:
  class Watch;
  const std::shared_ptr<Watch> watch_;
  const c10::DebugInfoGuard on_this_thread_;
  const at::CallbackHandle callback_;
};

}  // namespace flowtrain::model
