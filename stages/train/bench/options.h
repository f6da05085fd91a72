// What `flowtrain bench model` can be told. Free of LibTorch.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace flowtrain::train {

struct BenchOptions {
  std::string device = "auto";
  std::string precision = "auto";
  std::string backbone = "edgenext_base";
  std::string encoder = "gate";
  int64_t batch = 0;  // 0: 32 on a GPU, 64 for resnet50, 2 on a CPU
  int64_t size = 0;   // 0: 352 on a GPU, 224 for resnet50, 96 on a CPU
  int64_t top_k = 3;
  bool channels_last = true;
  bool gradient_checkpointing = false;
  int rounds = 0;     // 0: 50 on a GPU, 7 on a CPU

  std::string step;              // a network whose training step is measured: camoxpert, resnet50
  std::string routing = "balanced";  // known, learned
  bool recorded = true;          // CUDA graphs
  int blocks = 1;                // of `rounds` steps
  bool on_line = false;          // each block when a line comes in
  std::string trace;             // a file for a Chrome trace of five steps

  bool infer = false;
};

}  // namespace flowtrain::train
