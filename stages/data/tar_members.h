// Where the files in a tar file lie, found by one pass over its headers. Takes any bytes: what it
// keeps is within the file, and its memory is bounded by the headers that are there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace flowtrain::data {

// Only a file's content lies in the tar file as it is.
enum class MemberKind : uint8_t {
  kFile,
  kHardLink,
  kSymbolicLink,
  kDevice,
  kFifo,
  kSparse,
  kUnknown
};
constexpr size_t kMemberKinds = 7;

struct TarMember {
  std::string name;
  uint64_t at = 0, bytes = 0;  // of its content, in the tar file; 0 bytes where it is no file
  std::string content;         // where that is short, such as a label
  MemberKind kind = MemberKind::kFile;
};
constexpr uint64_t kShortContent = 64;

struct TarContents {
  std::vector<TarMember> members;  // all but folders, in order
  std::string fault;               // why the pass ended before the file did, else empty
};

// Fills `into` from `at` on and gives how many bytes there were; fewer: the file ends there. May
// throw.
using ReadBytes = std::function<size_t(uint64_t at, std::span<uint8_t> into)>;

// `bytes`: the file's size.
TarContents ReadTar(const ReadBytes& read, uint64_t bytes);

}  // namespace flowtrain::data
