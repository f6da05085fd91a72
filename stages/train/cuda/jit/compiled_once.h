// Kernels by what they are compiled for, made when they are first asked for on a GPU and kept for the life of
// the process: at exit the driver may be gone. Any thread.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "stages/train/cuda/jit/code.h"

namespace flowtrain::train {

template <class Key, class Kernels>
class CompiledOnce {
 public:
  // For the current GPU; make(gpu) compiles them where they are not there yet.
  template <class Make>
  const Kernels& Get(const Key& key, const Make& make) {
    const int gpu = CurrentGpu();
    const std::lock_guard lock(mutex_);
    const auto found = compiled_.find({key, gpu});
    if (found != compiled_.end()) return found->second;
    return compiled_.emplace(std::pair(key, gpu), make(gpu)).first->second;
  }

 private:
  std::mutex mutex_;  // protects compiled_
  std::map<std::pair<Key, int>, Kernels> compiled_;
};

}  // namespace flowtrain::train
