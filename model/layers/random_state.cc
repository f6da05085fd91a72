#include "model/layers/random_state.h"

#include <ATen/Context.h>

#include <mutex>

namespace flowtrain::model {

RandomState::RandomState(at::Device device) {
  Add(at::kCPU);
  if (!device.is_cpu()) Add(device);
}

void RandomState::Restore() const {
  for (auto [generator, state] : states_) {
    const std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  }
}

RandomScope::~RandomScope() {
  try {
    now_.Restore();
  } catch (...) {  // of a GPU that has failed: what failed there is on its way up
  }
}

void RandomState::Add(at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  states_.emplace_back(generator, generator.get_state());
}

}  // namespace flowtrain::model
