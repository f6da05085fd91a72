// The JSON header of a safetensors file, checked. Private to this folder; the one place that knows
// the format's names and limits.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/io/tensor_map.h"

namespace flowtrain::model {

constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;  // the reference's limit

struct SafetensorsEntry {
  std::string name;
  at::ScalarType type;
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // bytes from the start of the data
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // by position in the data
  Metadata metadata;
};

// Throws std::runtime_error without the file's name.
std::string FormatSafetensorsHeader(const SafetensorsHeader& header);

// data_bytes: how many bytes follow the header in the file. Throws std::runtime_error without the
// file's name.
SafetensorsHeader ParseSafetensorsHeader(std::string_view json, uint64_t data_bytes);

}  // namespace flowtrain::model
