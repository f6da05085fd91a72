#include "model/train/step_random.h"

#include <mutex>

namespace flowtrain::model {
namespace {

// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): neighbouring steps get unrelated seeds.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void Reseed(at::Device device, uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

}  // namespace

void SeedStep(at::Device device, uint64_t seed, int64_t step) {
  const uint64_t mixed = Mix(Mix(seed) ^ static_cast<uint64_t>(step));
  Reseed(at::kCPU, mixed);
  if (!device.is_cpu()) Reseed(device, mixed);
}

}  // namespace flowtrain::model
