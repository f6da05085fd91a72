// A hostile tar file: whatever it says, the members found lie within it and nothing is thrown but
// what the reading throws; memory is of the order of the file.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>

#include "fuzz/fuzz_require.h"
#include "stages/data/shard_label.h"
#include "stages/data/shard_samples.h"
#include "stages/data/tar_header.h"
#include "stages/data/tar_members.h"

namespace flowtrain::data {
namespace {

struct ReadFault : std::runtime_error {
  ReadFault() : std::runtime_error("the storage is away") {}
};

void CheckSamples(const std::vector<TarMember>& members, bool ends_early) {
  const ShardSamples found =
      SamplesOf(members, {{"jpg", "png"}, {"mask.png", "png", "cls"}}, ends_early);
  size_t left_out =
      found.without_image.count() + found.without_target.count() + !found.cut_off.empty();
  for (const CountedNames& names : found.no_file) left_out += names.count();
  FUZZ_REQUIRE(found.samples.size() + left_out <= members.size());
  FUZZ_REQUIRE(found.no_file[0].count() == 0 && (ends_early || found.cut_off.empty()));
  std::set<uint32_t> used;
  for (const ShardSample& sample : found.samples) {
    FUZZ_REQUIRE(sample.image < members.size() && sample.target < members.size());
    FUZZ_REQUIRE(used.insert(sample.image).second && used.insert(sample.target).second);
    FUZZ_REQUIRE(members[sample.image].kind == MemberKind::kFile);
    FUZZ_REQUIRE(members[sample.target].kind == MemberKind::kFile);
    FUZZ_REQUIRE(SplitMember(members[sample.image].name).stem ==
                 SplitMember(members[sample.target].name).stem);
  }
}

void Try(const std::string& tar) {
  const TarContents contents = ReadTar(
      [&](uint64_t at, std::span<uint8_t> into) {
        FUZZ_REQUIRE(at <= tar.size() && into.size() <= tar.size() - at);
        std::memcpy(into.data(), tar.data() + at, into.size());
        return into.size();
      },
      tar.size());
  uint64_t last = 0, names = 0;
  for (const TarMember& member : contents.members) {
    FUZZ_REQUIRE(member.at >= last + kTarBlock && member.at <= tar.size());
    FUZZ_REQUIRE(member.bytes <= tar.size() - member.at);
    FUZZ_REQUIRE(member.content.empty() || member.content == tar.substr(member.at, member.bytes));
    last = member.at + member.bytes;
    names += member.name.size();
    const ShardLabel label = LabelOf(member, 10);
    FUZZ_REQUIRE(label.value >= 0 && label.value < 10 && label.found.size() <= 4 * 64 + 40);
    FUZZ_REQUIRE((label.fault == ShardLabel::Fault::kNone) == label.found.empty());
  }
  FUZZ_REQUIRE(names <= tar.size());
  FUZZ_REQUIRE(contents.fault.size() <= 1000);
  CheckSamples(contents.members, !contents.fault.empty());
}

// A file that becomes shorter while it is read, and one whose storage fails.
void TryUnsteady(const std::string& tar) {
  const size_t half = tar.size() / 2;
  const TarContents contents = ReadTar(
      [&](uint64_t at, std::span<uint8_t> into) {
        const size_t there = at < half ? std::min<size_t>(half - at, into.size()) : 0;
        std::copy_n(tar.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(at, half)), there,
                    into.begin());
        return there;
      },
      tar.size());
  for (const TarMember& member : contents.members)
    FUZZ_REQUIRE(member.bytes <= tar.size() - member.at);
  bool thrown = false;
  try {
    ReadTar([](uint64_t, std::span<uint8_t>) -> size_t { throw ReadFault(); }, tar.size());
  } catch (const ReadFault&) {
    thrown = true;
  }
  FUZZ_REQUIRE(thrown == (tar.size() >= kTarBlock));
}

// The checksum of each block that could be a header is put right, else no lie behind it was ever
// seen.
std::string Summed(std::string tar) {
  for (size_t at = 0; at + kTarBlock <= tar.size(); at += kTarBlock) {
    uint8_t* block = reinterpret_cast<uint8_t*>(tar.data()) + at;
    if (block[0] == 0 || block[148] == 0) continue;
    std::fill_n(block + 148, 8, ' ');
    unsigned sum = 0;
    for (size_t i = 0; i < kTarBlock; ++i) sum += block[i];
    char digits[8];
    std::snprintf(digits, sizeof digits, "%06o", sum);
    std::copy_n(digits, 7, block + 148);
  }
  return tar;
}

}  // namespace
}  // namespace flowtrain::data

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowtrain::data;
  const std::string tar(reinterpret_cast<const char*>(data), size);
  Try(tar);
  const std::string summed = Summed(tar);
  Try(summed);
  TryUnsteady(summed);
  try {
    ParsePax({reinterpret_cast<const char*>(data), size});
  } catch (const std::runtime_error&) {
  }
  return 0;
}
