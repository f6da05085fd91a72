// The JSON text of a safetensors header, taken apart word by word: what doesn't belong where it
// stands is refused when it comes, so that a hostile text costs no memory beyond its own size's
// like. Free of LibTorch; private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/io/metadata.h"

namespace flowtrain::model {

constexpr char kMetadataKey[] = "__metadata__";
constexpr size_t kMaxTensorSides = 64;  // LibTorch's operations take no more

// A tensor in the header's words: each field is of the right kind, and that is all.
struct WordedEntry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<uint64_t>> shape, data_offsets;
};

struct WordedHeader {
  std::vector<WordedEntry> entries;
  Metadata metadata;
};

// Throws std::runtime_error.
WordedHeader ReadHeaderJson(std::string_view json);

[[noreturn]] void RefuseTensor(std::string_view name, const std::string& why);

}  // namespace flowtrain::model
