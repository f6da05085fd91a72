#include "stages/data/shard_index.h"

#include <flowtrain/error.h>
#include <flowtrain/rng.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "stages/data/write_whole.h"

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

// Another form of the text, or of what a pass finds, needs another number.
constexpr std::string_view kMagic = "flowtrain shard index 3\n";

void Put(uint64_t value, std::string& out) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
}
void Put(std::string_view text, std::string& out) {
  Put(text.size(), out);
  out += text;
}

// Takes values off a text's front; once one isn't there, all are 0 or empty and `good` is false.
struct Taker {
  std::string_view text;
  bool good = true;

  std::string_view Bytes(uint64_t count) {
    good = good && count <= text.size();
    if (!good) return {};
    const std::string_view taken = text.substr(0, count);
    text.remove_prefix(count);
    return taken;
  }
  uint64_t Number() {
    const std::string_view bytes = Bytes(8);
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    return value;
  }
  std::string Text() { return std::string(Bytes(Number())); }
};

// Of a shard in that state. What stands there may be anything; an index has less text than its
// shard, but for a fault.
std::optional<ShardIndex> Kept(const fs::path& path, const FileStamp& of,
                               const std::function<bool()>& stopping) {
  constexpr uint64_t kMostFault = 1 << 16;
  std::string text;
  try {
    const SourceFile file(path);
    if (file.stamp().bytes > of.bytes + kMostFault) return std::nullopt;
    text.resize(file.stamp().bytes);
    text.resize(file.ReadAt(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}, stopping));
  } catch (const Cancelled&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
  std::optional<ShardIndex> kept = ParseIndex(text);
  if (kept && kept->of != of) kept.reset();
  return kept;
}

}  // namespace

std::string FormatIndex(const ShardIndex& index) {
  std::string out(kMagic);
  Put(index.of.bytes, out);
  Put(static_cast<uint64_t>(index.of.modified_ns), out);
  Put(index.contents.fault, out);
  Put(index.contents.members.size(), out);
  for (const TarMember& member : index.contents.members) {
    Put(member.name, out);
    Put(member.at, out);
    Put(member.bytes, out);
    Put(member.content, out);
    Put(static_cast<uint64_t>(member.kind), out);
  }
  Put(Rng::HashStream(out), out);
  return out;
}

std::optional<ShardIndex> ParseIndex(std::string_view text) {
  constexpr size_t kHashBytes = 8;
  if (text.size() < kMagic.size() + kHashBytes || !text.starts_with(kMagic)) return std::nullopt;
  const std::string_view hashed = text.substr(0, text.size() - kHashBytes);
  if (Taker{text.substr(hashed.size())}.Number() != Rng::HashStream(hashed)) return std::nullopt;
  Taker take{hashed.substr(kMagic.size())};
  ShardIndex index;
  index.of.bytes = take.Number();
  index.of.modified_ns = static_cast<int64_t>(take.Number());
  index.contents.fault = take.Text();
  const uint64_t count = take.Number();
  for (uint64_t i = 0; i < count && take.good; ++i) {
    TarMember& member = index.contents.members.emplace_back();
    member.name = take.Text();
    member.at = take.Number();
    member.bytes = take.Number();
    member.content = take.Text();
    const uint64_t kind = take.Number();
    member.kind = static_cast<MemberKind>(kind);
    take.good = take.good && kind < kMemberKinds && member.at <= index.of.bytes &&
                member.bytes <= index.of.bytes - member.at;
  }
  if (!take.good || !take.text.empty()) return std::nullopt;
  return index;
}

fs::path IndexPath(const fs::path& shard, const fs::path& cache) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(shard, error);
  char name[64];
  std::snprintf(name, sizeof name, "%016llx.index",
                static_cast<unsigned long long>(
                    Rng::HashStream(error ? fs::absolute(shard).native() : real.native())));
  return cache / "shards" / name;
}

ShardIndex IndexOf(const fs::path& shard, const fs::path& cache,
                   const std::function<bool()>& stopping,
                   const std::function<void(const std::string&)>& unkept) {
  const SourceFile file(shard);
  const fs::path place = cache.empty() ? fs::path() : IndexPath(shard, cache);
  if (std::optional<ShardIndex> kept = Kept(place, file.stamp(), stopping)) return *std::move(kept);
  ShardIndex index{file.stamp(), {}};
  index.contents =
      ReadTar([&](uint64_t at, std::span<uint8_t> into) { return file.ReadAt(at, into, stopping); },
              file.stamp().bytes);
  if (place.empty()) return index;
  try {
    WriteWhole(place, FormatIndex(index));
  } catch (const Error& error) {
    unkept(error.what());
  }
  return index;
}

}  // namespace flowtrain::data
