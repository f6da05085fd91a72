#include "pipeline/config/profile.h"

#include <algorithm>

#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

struct Profile {
  std::string name, when_unset, why, pointer;
  std::vector<Override> sets;
};

std::string Text(const Value& object, const std::string& key, const std::string& pointer,
                 Faults& faults) {
  const Value* value = object.Find(key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->AsString();
  faults.Add(Join(pointer, key), std::string("expected a string, found ") + value->KindName());
  return "";
}

Profile ReadProfile(const std::string& name, const Value& value, Faults& faults) {
  static const std::vector<std::string> keys = {"when_unset", "why", "set"};
  const std::string pointer = Join("/profiles", name);
  Profile profile{name,
                  Text(value, "when_unset", pointer, faults),
                  Text(value, "why", pointer, faults),
                  pointer,
                  {}};
  if (!value.is_object()) {
    faults.Add(pointer, std::string("expected an object with ") + Quoted(keys) + ", found " +
                            value.KindName());
    return profile;
  }
  if (name == "none")
    faults.Add(pointer,
               "\"none\" is what --profile uses to turn profiles off; name this one differently");
  for (const auto& [key, member] : value.AsObject()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    faults.Add(Join(pointer, key), "unknown key \"" + key + "\"" + Hint(key, keys));
  }
  if (const Value* set = value.Find("set"); set != nullptr && set->is_object()) {
    for (const auto& [target, to] : set->AsObject()) profile.sets.push_back({target, to});
  } else if (set != nullptr) {
    faults.Add(
        Join(pointer, "set"),
        std::string("expected an object of JSON Pointers and values, found ") + set->KindName());
  }
  return profile;
}

std::vector<Profile> TakeProfiles(Value& graph, Faults& faults) {
  std::vector<Profile> profiles;
  const Value* section = graph.Find("profiles");
  if (section == nullptr) return profiles;
  if (section->is_object()) {
    for (const auto& [name, value] : section->AsObject())
      profiles.push_back(ReadProfile(name, value, faults));
  } else {
    faults.Add("/profiles", std::string("expected an object, found ") + section->KindName());
  }
  Value::Object rest;
  for (const auto& [key, member] : graph.AsObject()) {
    if (key != "profiles") rest.emplace_back(key, member);
  }
  graph = std::move(rest);
  return profiles;
}

void ApplyProfile(const Profile& profile, Value& graph, Faults& faults) {
  for (const Override& set : profile.sets) {
    if (const std::string fault = Apply(set, graph); !fault.empty())
      faults.Add(Join(profile.pointer + "/set", set.pointer), fault);
  }
}

bool Fires(const Profile& profile, const std::vector<Override>& sets,
           const Environment& environment, Value graph) {
  if (profile.when_unset.empty() || environment(profile.when_unset)) return false;
  for (const Override& set : sets) Apply(set, graph);
  return RefersTo(graph, profile.when_unset);
}

// Its "why" explains what it does by itself, and is not said of one that was asked for.
AppliedProfile Force(const std::string& wanted, const std::vector<Profile>& profiles, Value& graph,
                     Faults& faults) {
  std::vector<std::string> names = {"none"};
  for (const Profile& profile : profiles) {
    if (profile.name == wanted) {
      ApplyProfile(profile, graph, faults);
      return {profile.name, profile.when_unset, ""};
    }
    names.push_back(profile.name);
  }
  faults.AddOption("--profile", wanted, "the graph has no such profile" + Hint(wanted, names));
  return {};
}

}  // namespace

AppliedProfile ApplyProfilesAndSets(const std::optional<std::string>& wanted,
                                    const std::vector<Override>& sets,
                                    const Environment& environment, Value& graph, Faults& faults) {
  AppliedProfile applied;
  const std::vector<Profile> profiles = TakeProfiles(graph, faults);
  if (!wanted) {
    for (const Profile& profile : profiles) {
      if (!Fires(profile, sets, environment, graph)) continue;
      ApplyProfile(profile, graph, faults);
      applied.name += (applied.name.empty() ? "" : "-") + profile.name;
      applied.variable = profile.when_unset;
      applied.why += (applied.why.empty() ? "" : "; ") + profile.why;
    }
  } else if (*wanted != "none") {
    applied = Force(*wanted, profiles, graph, faults);
  }
  for (const Override& set : sets) {
    if (const std::string fault = Apply(set, graph); !fault.empty())
      faults.AddOption("--set", set.pointer, fault);
  }
  return applied;
}

}  // namespace flowtrain::config
