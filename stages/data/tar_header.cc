#include "stages/data/tar_header.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

namespace flowtrain::data {
namespace {

constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();

std::string Text(TarBlock block, size_t at, size_t bytes) {
  const auto* begin = reinterpret_cast<const char*>(block.data()) + at;
  return std::string(begin, std::find(begin, begin + bytes, '\0'));
}

bool IsNumber(std::string_view text, uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool IsZero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

// A header's bytes are summed, its checksum's own as blanks. Some old programs summed signed bytes.
bool IsTarHeader(TarBlock block) {
  constexpr size_t kAt = 148, kBytes = 8;
  const std::optional<uint64_t> wanted = TarNumber(block.subspan(kAt, kBytes));
  int64_t sum = 0, signed_sum = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    const uint8_t byte = i >= kAt && i < kAt + kBytes ? ' ' : block[i];
    sum += byte;
    signed_sum += static_cast<int8_t>(byte);
  }
  return wanted &&
         (static_cast<int64_t>(*wanted) == sum || static_cast<int64_t>(*wanted) == signed_sum);
}

std::optional<uint64_t> TarNumber(std::span<const uint8_t> field) {
  uint64_t value = 0;
  if (!field.empty() && (field[0] & 0x80) != 0) {
    if ((field[0] & 0x40) != 0) return std::nullopt;  // negative
    value = field[0] & 0x3F;
    for (const uint8_t byte : field.subspan(1)) {
      if (value > kMost >> 8) return std::nullopt;
      value = value << 8 | byte;
    }
    return value;
  }
  size_t i = 0;
  while (i < field.size() && field[i] == ' ') ++i;
  for (; i < field.size() && field[i] != ' ' && field[i] != '\0'; ++i) {
    if (field[i] < '0' || field[i] > '7' || value > kMost >> 3) return std::nullopt;
    value = value << 3 | static_cast<uint64_t>(field[i] - '0');
  }
  return value;
}

TarHeader ParseTarHeader(TarBlock block) {
  if (!IsTarHeader(block)) throw std::runtime_error("a wrong checksum");
  TarHeader header;
  header.name = Text(block, 0, 100);
  header.type = static_cast<char>(block[156]);
  const std::string prefix = Text(block, 345, 155);
  // GNU's magic is "ustar  ", and other things stand in the prefix's place.
  const bool posix = Text(block, 257, 6) == "ustar";
  if (posix && !prefix.empty()) header.name = prefix + "/" + header.name;
  if (header.type == '\0') header.type = header.name.ends_with('/') ? '5' : '0';
  const std::optional<uint64_t> bytes = TarNumber(block.subspan(124, 12));
  if (!bytes) throw std::runtime_error("a size that is no number");
  header.bytes = *bytes;
  header.goes_on = header.type == 'S' && block[482] != 0;
  return header;
}

PaxRecords ParsePax(std::string_view text) {
  PaxRecords records;
  while (!text.empty()) {
    // "27 path=some/name of 27 bytes\n", its own digits counted.
    const size_t blank = text.find(' ');
    uint64_t length = 0;
    if (blank == text.npos || !IsNumber(text.substr(0, blank), length) || length <= blank + 1 ||
        length > text.size() || text[length - 1] != '\n') {
      throw std::runtime_error("a pax record of a wrong length");
    }
    const std::string_view record = text.substr(blank + 1, length - blank - 2);
    text.remove_prefix(length);
    const size_t equals = record.find('=');
    if (equals == record.npos) throw std::runtime_error("a pax record without a value");
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "path") records.path = std::string(value);
    if (key.starts_with("GNU.sparse.")) records.sparse = true;
    if (key != "size") continue;
    uint64_t size = 0;
    if (!IsNumber(value, size) || size > kMost)
      throw std::runtime_error("a pax size that is no number");
    records.size = size;
  }
  return records;
}

}  // namespace flowtrain::data
