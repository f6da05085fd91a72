#include "stages/data/shard_samples.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

using Members = std::vector<TarMember>;
using Indices = std::span<const uint32_t>;

// The extensions of a sample's members: a few, unless somebody means ill.
class Extensions {
 public:
  // False where it is there already.
  bool Add(std::string extension) {
    const bool known = std::find(few_.begin(), few_.end(), extension) != few_.end();
    if (known || few_.size() == kFew) return !known && more_.insert(std::move(extension)).second;
    few_.push_back(std::move(extension));
    return true;
  }

 private:
  static constexpr size_t kFew = 16;
  std::vector<std::string> few_;
  std::unordered_set<std::string> more_;
};

// Numbers of samples, by member, of those that are named.
std::vector<uint32_t> SampleNumbers(const Members& members, const std::vector<uint32_t>& named) {
  struct Sample {
    std::string_view stem;
    Extensions extensions;
  };
  std::vector<uint32_t> numbers(members.size());
  std::vector<Sample> samples;
  std::unordered_map<std::string_view, uint32_t> latest;  // by stem
  latest.reserve(named.size());
  uint32_t number = 0;
  for (const uint32_t i : named) {
    const MemberName name = SplitMember(members[i].name);
    if (samples.empty() || samples[number].stem != name.stem) {
      const auto next = static_cast<uint32_t>(samples.size());
      number = latest.try_emplace(name.stem, next).first->second;
      if (number == next) samples.push_back({name.stem, {}});
    }
    if (!samples[number].extensions.Add(Lower(name.extension))) {
      number = latest[name.stem] = static_cast<uint32_t>(samples.size());
      samples.push_back({name.stem, {}});
      samples[number].extensions.Add(Lower(name.extension));
    }
    numbers[i] = number;
  }
  return numbers;
}

// The one with the first of the extensions that one has, but not `taken`; a file, or else none.
std::optional<uint32_t> Find(const Members& members, Indices sample, bool file,
                             const std::vector<std::string>& extensions,
                             std::optional<uint32_t> taken = {}) {
  for (const std::string& extension : extensions) {
    for (const uint32_t i : sample) {
      if ((members[i].kind == MemberKind::kFile) != file || taken == i) continue;
      if (Lower(SplitMember(members[i].name).extension) == Lower(extension)) return i;
    }
  }
  return std::nullopt;
}

void Take(const Members& members, Indices sample, const ShardRoles& roles, bool cut,
          ShardSamples& result) {
  const std::optional<uint32_t> image = Find(members, sample, true, roles.image),
                                target = Find(members, sample, true, roles.target, image);
  if (image && target) {
    result.samples.push_back({*image, *target});
    return;
  }
  const std::string_view stem = SplitMember(members[sample[0]].name).stem;
  const auto no_file = Find(members, sample, false, image ? roles.target : roles.image);
  if (no_file) {
    result.no_file[static_cast<size_t>(members[*no_file].kind)].Add(members[*no_file].name);
  } else if (cut && (image || target)) {
    result.cut_off = stem;
  } else if (image) {
    result.without_target.Add(stem);
  } else if (target) {
    result.without_image.Add(stem);
  }
}

}  // namespace

MemberName SplitMember(std::string_view name) {
  const size_t slash = name.rfind('/'), last = slash == name.npos ? 0 : slash + 1;
  const size_t dot = name.find('.', last);
  if (dot == name.npos || dot == last || dot + 1 == name.size()) return {};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

ShardSamples SamplesOf(const Members& members, const ShardRoles& roles, bool ends_early) {
  std::vector<uint32_t> named;
  for (uint32_t i = 0; i < members.size(); ++i) {
    if (!SplitMember(members[i].name).stem.empty()) named.push_back(i);
  }
  ShardSamples result;
  if (named.empty()) return result;
  const uint32_t last = named.back();
  const std::vector<uint32_t> numbers = SampleNumbers(members, named);
  std::stable_sort(named.begin(), named.end(),
                   [&](uint32_t a, uint32_t b) { return numbers[a] < numbers[b]; });
  for (size_t begin = 0, end = 0; begin < named.size(); begin = end) {
    const uint32_t number = numbers[named[begin]];
    while (end < named.size() && numbers[named[end]] == number) ++end;
    Take(members, Indices(named).subspan(begin, end - begin), roles,
         ends_early && numbers[last] == number, result);
  }
  return result;
}

}  // namespace flowtrain::data
