#include "model/io/safetensors_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "model/io/header_json.h"
#include "model/io/shown.h"

namespace flowtrain::model {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

ElementType ParseType(const WordedEntry& entry) {
  for (size_t i = 0; i < kElementTypes.size(); ++i) {
    if (kElementTypes[i].name == *entry.dtype) return static_cast<ElementType>(i);
  }
  RefuseTensor(entry.name,
               "dtype '" + Shown(*entry.dtype) + "' is not one of " + kElementTypeNames);
}

// Sides of 0 count as 1: beside one, an absurd side must not hide, and strides be past 64 bits.
void CheckSize(const WordedEntry& worded, ElementType type) {
  uint64_t bytes = ElementBytes(type);
  for (const uint64_t side : *worded.shape) {
    if (__builtin_mul_overflow(bytes, std::max<uint64_t>(side, 1), &bytes) ||
        bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      RefuseTensor(worded.name, "the size of its shape is past 2^63 bytes");
    }
  }
}

SafetensorsEntry CheckedEntry(WordedEntry worded, uint64_t data_bytes) {
  const std::string& name = worded.name;
  if (!worded.dtype) RefuseTensor(name, "has no 'dtype'");
  if (!worded.shape) RefuseTensor(name, "has no 'shape'");
  if (!worded.data_offsets) RefuseTensor(name, "has no 'data_offsets'");
  const ElementType type = ParseType(worded);
  CheckSize(worded, type);
  uint64_t bytes = ElementBytes(type);
  for (const uint64_t side : *worded.shape) bytes *= side;

  const std::vector<uint64_t>& offsets = *worded.data_offsets;
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    RefuseTensor(name, "data_offsets are not [begin, end] with begin <= end");
  }
  if (offsets[1] > data_bytes) {
    RefuseTensor(name, "data_offsets end at byte " + std::to_string(offsets[1]) + " of " +
                           std::to_string(data_bytes) + " bytes of data");
  }
  if (offsets[1] - offsets[0] != bytes) {
    RefuseTensor(name, "data_offsets span " + std::to_string(offsets[1] - offsets[0]) +
                           " bytes; dtype and shape need " + std::to_string(bytes));
  }
  return {std::move(worded.name),
          type,
          {worded.shape->begin(), worded.shape->end()},
          offsets[0],
          offsets[1]};
}

void CheckCoverage(const std::vector<SafetensorsEntry>& entries, uint64_t data_bytes) {
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      RefuseTensor(entry.name,
                   "data_offsets begin at byte " + std::to_string(entry.begin) +
                       (entry.begin < covered ? ", inside another tensor" : ", after a gap") +
                       "; byte " + std::to_string(covered) + " is next");
    }
    covered = entry.end;
  }
  if (covered != data_bytes) {
    throw std::runtime_error("tensors cover " + std::to_string(covered) + " of " +
                             std::to_string(data_bytes) + " bytes of data; all must be covered");
  }
}

}  // namespace

std::string FormatSafetensorsHeader(const SafetensorsHeader& header) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) out[kMetadataKey] = header.metadata;
  for (const SafetensorsEntry& entry : header.entries) {
    // What the parser would refuse is not written.
    if (entry.name == kMetadataKey) RefuseTensor(entry.name, "this name is the format's own");
    if (HasControl(entry.name)) RefuseTensor(entry.name, "its name has control characters");
    if (entry.shape.size() > kMaxTensorSides)
      RefuseTensor(entry.name, "has more than " + std::to_string(kMaxTensorSides) + " sides");
    out[entry.name] = {{"dtype", kElementTypes[static_cast<size_t>(entry.type)].name},
                       {"shape", entry.shape},
                       {"data_offsets", {entry.begin, entry.end}}};
  }
  try {
    return out.dump();
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(std::string("a name or metadata is not UTF-8: ") + e.what());
  }
}

SafetensorsHeader ParseSafetensorsHeader(std::string_view json, uint64_t data_bytes) {
  WordedHeader worded = ReadHeaderJson(json);
  SafetensorsHeader header{{}, std::move(worded.metadata)};
  for (WordedEntry& entry : worded.entries) {
    header.entries.push_back(CheckedEntry(std::move(entry), data_bytes));
  }
  std::sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  CheckCoverage(header.entries, data_bytes);
  return header;
}

SafetensorsLayout ParseSafetensorsFile(std::string_view file) {
  uint64_t length = 0;
  if (file.size() < sizeof length) {
    throw std::runtime_error("is no safetensors file: it has " + std::to_string(file.size()) +
                             " bytes, 8 are the least");
  }
  std::memcpy(&length, file.data(), sizeof length);
  const uint64_t rest = file.size() - sizeof length;
  if (length > std::min(rest, kMaxSafetensorsHeader)) {
    throw std::runtime_error(
        "is no safetensors file: its header length " + std::to_string(length) + " is past the " +
        std::to_string(std::min(rest, kMaxSafetensorsHeader)) + " bytes allowed");
  }
  return {ParseSafetensorsHeader(file.substr(sizeof length, length), rest - length),
          sizeof length + length};
}

}  // namespace flowtrain::model
