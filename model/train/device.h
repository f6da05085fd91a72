// From the words of a graph file to a device and a precision of this machine. Free functions, on the
// trainer's thread: asking for the GPUs may open the CUDA driver.
#pragma once

#include <ATen/ATen.h>

#include <string>

namespace flowtrain::model {

// text: auto, cpu, cuda, cuda:N. Throws std::invalid_argument on another word, and
// std::runtime_error where the machine has no such GPU.
at::Device ResolveDevice(const std::string& text);

enum class Precision { kFloat32, kBf16 };

// text: auto, float32, bf16. Throws std::invalid_argument on another word and on bf16 without a GPU
// that computes in it.
Precision ResolvePrecision(const std::string& text, at::Device device);

}  // namespace flowtrain::model
