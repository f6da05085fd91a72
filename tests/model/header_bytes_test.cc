// The 8 bytes in front, and what a file must hold behind them.
#include <doctest/doctest.h>

#include "model/header_refusal.h"

namespace flowtrain::model::test {
namespace {

std::string WithLength(uint64_t length, const std::string& rest) {
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + rest;
}

std::string FileRefusal(const std::string& file) {
  return RefusalOf([&] { ParseSafetensorsFile(file); });
}

TEST_CASE("an empty file, and one of fewer than 8 bytes, is refused") {
  CHECK(FileRefusal("") == "is no safetensors file: it has 0 bytes, 8 are the least");
  CHECK(FileRefusal("\1\0\0\0{}") == "is no safetensors file: it has 1 bytes, 8 are the least");
  CHECK(FileRefusal(std::string(7, '\0')) ==
        "is no safetensors file: it has 7 bytes, 8 are the least");
}

TEST_CASE("a header length past the end of the file is refused before a byte is read") {
  const std::string rest = "{}";
  CHECK(FileRefusal(WithLength(2, rest)) == "accepted");
  CHECK(FileRefusal(WithLength(3, rest)) ==
        "is no safetensors file: its header length 3 is past the 2 bytes allowed");
  // Added to the 8 bytes in front, these would wrap round.
  for (const uint64_t length : {~uint64_t{0}, ~uint64_t{0} - 7, uint64_t{1} << 63})
    CHECK(FileRefusal(WithLength(length, rest)) == "is no safetensors file: its header length " +
                                                       std::to_string(length) +
                                                       " is past the 2 bytes allowed");
}

TEST_CASE("a header of more than 100 MB is refused, however large the file") {
  const std::string file =
      WithLength(kMaxSafetensorsHeader + 1, std::string(kMaxSafetensorsHeader + 10, ' '));
  CHECK(FileRefusal(file) ==
        "is no safetensors file: its header length 100000001 is past the 100000000 bytes allowed");
}

TEST_CASE("a header without tensors is a whole file, and bytes behind it are not") {
  const SafetensorsLayout layout = ParseSafetensorsFile(WithLength(4, "{}  "));
  CHECK(layout.header.entries.empty());
  CHECK(layout.data_start == 12);
  CHECK(FileRefusal(WithLength(2, "{}x")) ==
        "tensors cover 0 of 1 bytes of data; all must be covered");
}

TEST_CASE("what is written is read again as it was") {
  const SafetensorsHeader header = {{{"a \"quoted\" \xc3\xa9", ElementType::kF64, {2}, 0, 16},
                                     {"scalar", ElementType::kBF16, {}, 16, 18},
                                     {"empty", ElementType::kBool, {0, 3}, 18, 18}},
                                    {{"format", "pt"}, {"\n", "\x01"}}};
  const SafetensorsHeader again = ParseSafetensorsHeader(FormatSafetensorsHeader(header), 18);
  CHECK(again.metadata == header.metadata);
  REQUIRE(again.entries.size() == 3);
  // By position, then end, then name.
  for (size_t i = 0; i < 3; ++i) {
    CHECK(again.entries[i].name == header.entries[i].name);
    CHECK((again.entries[i].type == header.entries[i].type));
    CHECK(again.entries[i].shape == header.entries[i].shape);
    CHECK(again.entries[i].begin == header.entries[i].begin);
    CHECK(again.entries[i].end == header.entries[i].end);
  }
}

TEST_CASE("what could not be read again is not written") {
  const auto refusal = [](const std::string& name, std::vector<int64_t> shape) {
    return RefusalOf([&] {
      FormatSafetensorsHeader({{{name, ElementType::kU8, std::move(shape), 0, 1}}, {}});
    });
  };
  CHECK(refusal("w", std::vector<int64_t>(64, 1)) == "accepted");
  CHECK(refusal("w", std::vector<int64_t>(65, 1)) == "tensor 'w': has more than 64 sides");
  CHECK(refusal("__metadata__", {1}) == "tensor '__metadata__': this name is the format's own");
  CHECK(refusal("a\nb", {1}) == "tensor 'a\\x0ab': its name has control characters");
  CHECK(refusal("\xff", {1}).starts_with("a name or metadata is not UTF-8"));
}

}  // namespace
}  // namespace flowtrain::model::test
