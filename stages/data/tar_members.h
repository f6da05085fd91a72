// Where the files in a tar file lie, found by one pass over its headers. Takes any bytes: what it
// keeps is within the file, and its memory is bounded by the headers that are there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace flowtrain::data {

struct TarMember {
  std::string name;
  uint64_t at = 0, bytes = 0;  // of its content, in the tar file
  std::string content;         // where that is short, such as a label
};
constexpr uint64_t kShortContent = 32;

struct TarContents {
  std::vector<TarMember> members;  // regular files, in order
  std::string fault;               // why the pass ended before an end mark, else empty
};

// Fills `into` from `at` on and gives how many bytes there were; fewer: the file ends there. May
// throw.
using ReadBytes = std::function<size_t(uint64_t at, std::span<uint8_t> into)>;

// `bytes`: the file's size.
TarContents ReadTar(const ReadBytes& read, uint64_t bytes);

}  // namespace flowtrain::data
