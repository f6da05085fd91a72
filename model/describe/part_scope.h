// Names the part of a network whose operators run while it lives: the key of its module. Parts
// within parts are joined with a dot. It is a user scope of LibTorch's recorder, so a profile's
// trace shows it, and counts are kept by it (model/describe/forward_counter.h). Where nobody
// records, it is a look at a list of callbacks. A local variable on the thread that runs the
// network.
#pragma once

#include <ATen/record_function.h>

#include <string>

namespace flowtrain::model {

class PartScope {
 public:
  explicit PartScope(const char* key) {
    if (record_.isActive()) record_.before(key);
  }
  PartScope(const char* key, size_t number) {
    if (record_.isActive()) record_.before(std::string(key) + "." + std::to_string(number));
  }

 private:
  at::RecordFunction record_{at::RecordScope::USER_SCOPE};
};

}  // namespace flowtrain::model
