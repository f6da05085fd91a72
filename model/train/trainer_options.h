// What a segmentation trainer can be told. Plain values, free of LibTorch, so that a stage can declare
// them without opening it.
#pragma once

#include <cstdint>
#include <string>

#include "model/loss/loss_weights.h"
#include "model/optim/schedule.h"

namespace flowtrain::model {

struct TrainerOptions {
  std::string device = "auto";     // auto (the first GPU, else the CPU), cpu, cuda, cuda:N
  std::string precision = "auto";  // auto (bf16 where the GPU has it, else float32), float32, bf16
  bool channels_last = true;       // memory layout of weights and activations
  LossWeights loss;                // each >= 0
  WarmupCosine schedule;           // lr >= min_lr >= 0, lr > 0, 0 <= warmup_steps <= total_steps >= 1
  double weight_decay = 1e-4;      // on every parameter, >= 0
  double clip = 0.5;               // largest gradient norm, > 0
  double ema_decay = 0;            // of the weights' average, which is evaluated; [0, 1), 0: none
  uint64_t seed = 42;              // of dropout and whatever else draws on the device, by step
  int cpu_threads = 1;             // intra-op threads; float sums depend on it
};

// Throws std::invalid_argument that names the option, its value and what is allowed. Device and
// precision are checked against the machine when a trainer is made.
void CheckOptions(const TrainerOptions& options);

}  // namespace flowtrain::model
