// What stands in front of a safetensors file's data, checked: 8 bytes of length and a JSON header.
// The one place that knows the format's types and limits. Free of LibTorch; private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/io/metadata.h"

namespace flowtrain::model {

constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;  // bytes, the reference's limit

enum class ElementType : uint8_t { kF64, kF32, kF16, kBF16, kI64, kI32, kU8, kBool };

struct ElementTypeInfo {
  std::string_view name;
  uint64_t bytes;
};
constexpr std::array<ElementTypeInfo, 8> kElementTypes = {  // in the order of ElementType
    {{"F64", 8},
     {"F32", 4},
     {"F16", 2},
     {"BF16", 2},
     {"I64", 8},
     {"I32", 4},
     {"U8", 1},
     {"BOOL", 1}}};
constexpr char kElementTypeNames[] = "F64, F32, F16, BF16, I64, I32, U8, BOOL";

constexpr uint64_t ElementBytes(ElementType type) {
  return kElementTypes[static_cast<size_t>(type)].bytes;
}

struct SafetensorsEntry {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // bytes from the start of the data
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // by position in the data
  Metadata metadata;
};

// All throw std::runtime_error without the file's name.

std::string FormatSafetensorsHeader(const SafetensorsHeader& header);

// data_bytes: how many bytes follow the header in the file.
SafetensorsHeader ParseSafetensorsHeader(std::string_view json, uint64_t data_bytes);

struct SafetensorsLayout {
  SafetensorsHeader header;
  uint64_t data_start = 0;  // bytes from the start of the file
};
// `file`: all its bytes; no further than the header is read.
SafetensorsLayout ParseSafetensorsFile(std::string_view file);

}  // namespace flowtrain::model
