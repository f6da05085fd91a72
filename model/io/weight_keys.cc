#include "model/io/weight_keys.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "model/io/shown.h"

namespace flowtrain::model {
namespace {

constexpr std::string_view kModule = "module.", kBackbone = "backbone.", kHead = "head.";

// Numbered parts as in the whole network: stem_0.weight -> stem.0.weight.
std::string WithDots(std::string key) {
  for (const std::string_view part : {"stem", "stages"}) {
    if (!key.starts_with(part) || key.substr(part.size(), 1) != "_") continue;
    const size_t end = key.find_first_not_of("0123456789", part.size() + 1);
    if (end != key.npos && end > part.size() + 1 && key[end] == '.') key[part.size()] = '.';
  }
  return key;
}

// The spelling in which names are compared: no `module.`, dots, and `backbone.` kept where it is.
std::string Canonical(std::string_view key) {
  while (key.starts_with(kModule)) key.remove_prefix(kModule.size());
  const bool inside = key.starts_with(kBackbone);
  if (inside) key.remove_prefix(kBackbone.size());
  return std::string(inside ? kBackbone : "") + WithDots(std::string(key));
}

bool AnyStartsWith(const std::vector<std::string>& keys, std::string_view start) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const auto& key) { return Canonical(key).starts_with(start); });
}

}  // namespace

SpelledKeys SpellAs(const std::vector<std::string>& own, const std::vector<std::string>& given) {
  std::map<std::string, std::string> by_canonical;
  for (const std::string& name : own) by_canonical[Canonical(name)] = name;
  const bool has_head = AnyStartsWith(own, kHead);
  const bool whole_file_for_backbone =
      !AnyStartsWith(own, kBackbone) && AnyStartsWith(given, kBackbone);
  const auto is_backbone =
      by_canonical.contains("stem.0.weight") || by_canonical.contains("backbone.stem.0.weight");

  SpelledKeys spelled;
  std::map<std::string, std::string> taken;  // the module's name -> the file's
  for (const std::string& name : given) {
    const std::string canonical = Canonical(name);
    const bool inside = canonical.starts_with(kBackbone);
    const std::string bare = inside ? canonical.substr(kBackbone.size()) : canonical;
    if ((is_backbone && !has_head && bare.starts_with(kHead)) ||
        (whole_file_for_backbone && !inside)) {
      spelled.left_out.push_back(name);
      continue;
    }
    auto found = by_canonical.find(canonical);
    if (found == by_canonical.end())
      found = by_canonical.find(inside ? bare : std::string(kBackbone) + bare);
    spelled.own[name] = found == by_canonical.end() ? name : found->second;
    if (found == by_canonical.end()) continue;
    const auto [other, first] = taken.emplace(found->second, name);
    if (!first) {
      throw std::runtime_error("'" + Shown(other->second) + "' and '" + Shown(name) +
                               "' are both the entry '" + found->second + "'");
    }
  }
  return spelled;
}

}  // namespace flowtrain::model
