#include "model/io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace flowtrain::model {
namespace {

using nlohmann::json;

constexpr char kMetadataKey[] = "__metadata__";
constexpr size_t kShownBytes = 40;
constexpr char kTypeNames[] = "F64, F32, F16, BF16, I64, I32, U8, BOOL";

constexpr std::array<std::pair<const char*, at::ScalarType>, 8> kTypes = {{{"F64", at::kDouble},
                                                                           {"F32", at::kFloat},
                                                                           {"F16", at::kHalf},
                                                                           {"BF16", at::kBFloat16},
                                                                           {"I64", at::kLong},
                                                                           {"I32", at::kInt},
                                                                           {"U8", at::kByte},
                                                                           {"BOOL", at::kBool}}};

[[noreturn]] void Refuse(const std::string& tensor, const std::string& what) {
  throw std::runtime_error("tensor '" + tensor + "': " + what);
}

// nlohmann's own parse keeps the last of two equal keys without a word.
json ParseUniqueKeys(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&keys](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw std::runtime_error("header: the key '" + parsed.get<std::string>() + "' is given twice");
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::exception& e) {
    throw std::runtime_error("header is not JSON: " + std::string(e.what()).substr(0, 200));
  }
}

const json& Field(const std::string& tensor, const json& entry, const char* name) {
  const auto found = entry.find(name);
  if (found == entry.end()) Refuse(tensor, std::string("has no '") + name + "'");
  return *found;
}

at::ScalarType ParseType(const std::string& tensor, const json& value) {
  for (const auto& [name, type] : kTypes) {
    if (value == name) return type;
  }
  // No dump() of what a file holds: it recurses, and a hostile value may be nested without end.
  const std::string shown = value.is_string() ? value.get<std::string>().substr(0, kShownBytes)
                                              : std::string(value.type_name());
  Refuse(tensor, "dtype '" + shown + "' is not one of " + kTypeNames);
}

std::vector<uint64_t> ParseUnsigned(const std::string& tensor, const char* field, const json& value) {
  const bool valid = value.is_array() && std::all_of(value.begin(), value.end(), [](const json& v) {
    return v.is_number_unsigned();
  });
  if (!valid) {
    Refuse(tensor, std::string(field) + " is not a list of integers >= 0");
  }
  return value.get<std::vector<uint64_t>>();
}

uint64_t CheckedProduct(const std::string& tensor, uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) ||
      product > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    Refuse(tensor, "the size of its shape is past 2^63 bytes");
  }
  return product;
}

SafetensorsEntry ParseEntry(const std::string& name, const json& value, uint64_t data_bytes) {
  if (!value.is_object()) Refuse(name, "its header entry is not an object");
  SafetensorsEntry entry{name, ParseType(name, Field(name, value, "dtype")), {}, 0, 0};

  uint64_t bytes = c10::elementSize(entry.type);
  for (const uint64_t side : ParseUnsigned(name, "shape", Field(name, value, "shape"))) {
    // A side of 0 must not hide an absurd one beside it.
    CheckedProduct(name, side, c10::elementSize(entry.type));
    bytes = CheckedProduct(name, bytes, side);
    entry.shape.push_back(static_cast<int64_t>(side));
  }

  const std::vector<uint64_t> offsets =
      ParseUnsigned(name, "data_offsets", Field(name, value, "data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    Refuse(name, "data_offsets are not [begin, end] with begin <= end");
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.end > data_bytes) {
    Refuse(name, "data_offsets end at byte " + std::to_string(entry.end) + " of " +
                     std::to_string(data_bytes) + " bytes of data");
  }
  if (entry.end - entry.begin != bytes) {
    Refuse(name, "data_offsets span " + std::to_string(entry.end - entry.begin) +
                     " bytes; dtype and shape need " + std::to_string(bytes));
  }
  return entry;
}

Metadata ParseMetadata(const json& value) {
  Metadata metadata;
  if (!value.is_object()) throw std::runtime_error("header: __metadata__ is not an object of strings");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) {
      throw std::runtime_error("header: __metadata__ '" + key + "' is not a string");
    }
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

void CheckCoverage(const std::vector<SafetensorsEntry>& entries, uint64_t data_bytes) {
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      Refuse(entry.name, "data_offsets begin at byte " + std::to_string(entry.begin) +
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
    if (entry.name == kMetadataKey) Refuse(entry.name, "this name is the format's own");
    const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& known) { return known.second == entry.type; });
    if (type == kTypes.end()) {
      Refuse(entry.name, std::string("type ") + toString(entry.type) + " is not one of " + kTypeNames);
    }
    out[entry.name] = {{"dtype", type->first},
                       {"shape", entry.shape},
                       {"data_offsets", {entry.begin, entry.end}}};
  }
  try {
    return out.dump();
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(std::string("a name or metadata is not UTF-8: ") + e.what());
  }
}

SafetensorsHeader ParseSafetensorsHeader(std::string_view text, uint64_t data_bytes) {
  const json root = ParseUniqueKeys(text);
  if (!root.is_object()) throw std::runtime_error("header is not a JSON object");
  SafetensorsHeader header;
  for (const auto& [name, value] : root.items()) {
    if (name == kMetadataKey) {
      header.metadata = ParseMetadata(value);
    } else {
      header.entries.push_back(ParseEntry(name, value, data_bytes));
    }
  }
  std::sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  CheckCoverage(header.entries, data_bytes);
  return header;
}

}  // namespace flowtrain::model
