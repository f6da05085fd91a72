#include "stages/data/shard_samples.h"

#include <algorithm>
#include <optional>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

// The member of [begin, end) with the first of the extensions that one has, but not `taken`.
std::optional<uint32_t> Find(const std::vector<TarMember>& members, size_t begin, size_t end,
                             const std::vector<std::string>& extensions,
                             std::optional<uint32_t> taken = {}) {
  for (const std::string& extension : extensions) {
    for (size_t i = begin; i < end; ++i) {
      const bool has_it = Lower(SplitMember(members[i].name).extension) == Lower(extension);
      if (has_it && taken != static_cast<uint32_t>(i)) return static_cast<uint32_t>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

MemberName SplitMember(std::string_view name) {
  const size_t slash = name.rfind('/'), last = slash == name.npos ? 0 : slash + 1;
  const size_t dot = name.find('.', last);
  if (dot == name.npos || dot == last || dot + 1 == name.size()) return {};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

ShardSamples SamplesOf(const std::vector<TarMember>& members, const ShardRoles& roles) {
  ShardSamples result;
  for (size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    const std::string_view stem = SplitMember(members[begin].name).stem;
    for (end = begin + 1; end < members.size() && SplitMember(members[end].name).stem == stem;)
      ++end;
    if (stem.empty()) continue;
    const std::optional<uint32_t> image = Find(members, begin, end, roles.image),
                                  target = Find(members, begin, end, roles.target, image);
    if (image && target) {
      result.samples.push_back({*image, *target});
    } else if (image) {
      result.without_target.Add(stem);
    } else if (target) {
      result.without_image.Add(stem);
    }
  }
  return result;
}

}  // namespace flowtrain::data
