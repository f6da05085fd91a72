// A hostile weights file: what stands in front of its data is refused by std::runtime_error, or is
// what a reader may rely on.
#include <cstring>
#include <set>
#include <stdexcept>

#include "fuzz/fuzz_require.h"
#include "model/io/safetensors_header.h"
#include "model/io/shown.h"
#include "model/io/weight_keys.h"

namespace flowtrain::model {
namespace {

void CheckAccepted(const SafetensorsHeader& header, uint64_t data_bytes) {
  std::set<std::string> names;
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    FUZZ_REQUIRE(names.insert(entry.name).second);
    FUZZ_REQUIRE(!HasControl(entry.name));
    FUZZ_REQUIRE(entry.begin == covered && entry.begin <= entry.end && entry.end <= data_bytes);
    covered = entry.end;
    // As LibTorch multiplies: sizes for the bytes, and sides of 0 as 1 for strides.
    int64_t bytes = static_cast<int64_t>(ElementBytes(entry.type)), strides = bytes;
    for (const int64_t side : entry.shape) {
      FUZZ_REQUIRE(side >= 0);
      FUZZ_REQUIRE(!__builtin_mul_overflow(bytes, side, &bytes));
      FUZZ_REQUIRE(!__builtin_mul_overflow(strides, side == 0 ? 1 : side, &strides));
    }
    FUZZ_REQUIRE(static_cast<uint64_t>(bytes) == entry.end - entry.begin);
  }
  FUZZ_REQUIRE(covered == data_bytes);
}

// Written and read again, it is the same.
void CheckRoundTrip(const SafetensorsHeader& header, uint64_t data_bytes) {
  const std::string text = FormatSafetensorsHeader(header);
  if (text.size() > kMaxSafetensorsHeader) return;
  const SafetensorsHeader again = ParseSafetensorsHeader(text, data_bytes);
  FUZZ_REQUIRE(again.metadata == header.metadata);
  FUZZ_REQUIRE(again.entries.size() == header.entries.size());
  for (size_t i = 0; i < header.entries.size(); ++i) {
    const SafetensorsEntry &one = header.entries[i], &other = again.entries[i];
    FUZZ_REQUIRE(one.name == other.name && one.type == other.type && one.shape == other.shape);
    FUZZ_REQUIRE(one.begin == other.begin && one.end == other.end);
  }
}

void MatchNames(const SafetensorsHeader& header) {
  std::vector<std::string> given;
  for (const SafetensorsEntry& entry : header.entries) given.push_back(entry.name);
  try {
    const SpelledKeys spelled =
        SpellAs({"backbone.stem_0.weight", "stages.1.gamma", "fc.bias"}, given);
    FUZZ_REQUIRE(spelled.own.size() + spelled.left_out.size() == given.size());
  } catch (const std::runtime_error&) {  // two names of one entry
  }
}

template <typename Parse>
void Try(const Parse& parse) {
  std::pair<SafetensorsHeader, uint64_t> parsed;
  try {
    parsed = parse();
  } catch (const std::runtime_error&) {
    return;
  }
  CheckAccepted(parsed.first, parsed.second);
  CheckRoundTrip(parsed.first, parsed.second);
  MatchNames(parsed.first);
}

}  // namespace
}  // namespace flowtrain::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowtrain::model;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // As a file...
  Try([&] {
    SafetensorsLayout layout = ParseSafetensorsFile(input);
    return std::pair(std::move(layout.header), size - layout.data_start);
  });
  // ... and as a header with any number of bytes behind it, which no input could hold.
  uint64_t data_bytes = 0;
  if (size < sizeof data_bytes) return 0;
  std::memcpy(&data_bytes, data, sizeof data_bytes);
  Try([&] {
    return std::pair(ParseSafetensorsHeader(input.substr(sizeof data_bytes), data_bytes),
                     data_bytes);
  });
  return 0;
}
