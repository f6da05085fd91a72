// One block of a tar file that stands before a member, in the formats in use: ustar, pax, GNU, and
// that of before. https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace flowtrain::data {

constexpr size_t kTarBlock = 512;
using TarBlock = std::span<const uint8_t, kTarBlock>;

struct TarHeader {
  std::string name;
  uint64_t bytes = 0;  // of its data, below 2^63
  char type = '0';
  bool goes_on =
      false;  // old GNU sparse files: blocks that describe its holes stand before the data
};

bool IsZero(std::span<const uint8_t> bytes);
// Whether its checksum holds: nothing but a header has one.
bool IsTarHeader(TarBlock block);
// Throws std::runtime_error, saying what is wrong with it.
TarHeader ParseTarHeader(TarBlock block);

// A field's number: octal digits, or GNU's base 256. Nothing where it is none, negative or 2^63 and
// more.
std::optional<uint64_t> TarNumber(std::span<const uint8_t> field);

// What a pax header says of the member behind it.
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<uint64_t> size;
  bool sparse = false;  // the data is not the file's content
};
// Throws std::runtime_error.
PaxRecords ParsePax(std::string_view text);

}  // namespace flowtrain::data
