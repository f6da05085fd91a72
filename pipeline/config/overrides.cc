#include "pipeline/config/overrides.h"

#include <algorithm>
#include <charconv>

#include "pipeline/config/json_text.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

std::vector<std::string> Keys(const Value& value) {
  std::vector<std::string> keys;
  if (value.is_object()) {
    for (const auto& [key, member] : value.AsObject()) keys.push_back(key);
  }
  return keys;
}

// A list has no member by name: the step is an index, or "-" for one past the end.
std::string PutInList(Value& list_value, const std::vector<std::string>& steps, size_t at,
                      const Value& value);

std::string Put(Value& target, const std::vector<std::string>& steps, size_t at,
                const Value& value) {
  if (at == steps.size()) {
    target = value;
    return "";
  }
  if (target.is_list()) return PutInList(target, steps, at, value);
  if (!target.is_object() && !target.is_null()) {
    return "\"" + steps[at] + "\" can't be set inside " + target.KindName();
  }
  if (Value* member = target.Find(steps[at])) return Put(*member, steps, at + 1, value);
  Value made;
  if (std::string fault = Put(made, steps, at + 1, value); !fault.empty()) return fault;
  target.Set(steps[at], std::move(made));
  return "";
}

std::string PutInList(Value& list_value, const std::vector<std::string>& steps, size_t at,
                      const Value& value) {
  Value::List list = list_value.AsList();
  const std::string& step = steps[at];
  size_t index = list.size();
  if (step != "-") {
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    const bool padded = step.size() > 1 && step[0] == '0';  // RFC 6901: no leading zeros
    if (padded || error != std::errc() || end != step.data() + step.size() || index > list.size()) {
      return "\"" + step + "\" is no index of this list; allowed: 0 to " +
             std::to_string(list.size()) + ", or - for a new last element";
    }
  }
  if (index == list.size()) list.emplace_back();
  if (std::string fault = Put(list[index], steps, at + 1, value); !fault.empty()) return fault;
  list_value = std::move(list);
  return "";
}

}  // namespace

const std::vector<std::string>& TopLevelKeys() {
  static const std::vector<std::string> keys = {"name",    "seed", "stages",  "edges",
                                                "metrics", "run",  "profiles", "phases"};
  return keys;
}

std::string Apply(const Override& override, Value& graph) {
  std::vector<std::string> steps;
  if (!Split(override.pointer, steps)) {
    return "\"" + override.pointer + "\" is no JSON Pointer; one looks like /stages/staging/batch";
  }
  const std::vector<std::string>& sections = TopLevelKeys();
  if (std::find(sections.begin(), sections.end(), steps[0]) == sections.end()) {
    return "there is no section \"" + steps[0] + "\"" + Hint(steps[0], sections);
  }
  if (steps[0] == "stages" && steps.size() > 2) {
    const Value* stages = graph.Find("stages");
    if (stages == nullptr || stages->Find(steps[1]) == nullptr) {
      const std::vector<std::string> known = stages ? Keys(*stages) : std::vector<std::string>();
      return "there is no stage \"" + steps[1] + "\"" + Hint(steps[1], known);
    }
  }
  return Put(graph, steps, 0, override.value);
}

std::vector<Override> ParseSets(const std::vector<std::string>& sets, Faults& faults) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos) {
      faults.AddOption("--set", set, "has no \"=\"; one looks like /stages/staging/batch=16");
      continue;
    }
    overrides.push_back({set.substr(0, equals), JsonOrString(set.substr(equals + 1))});
  }
  return overrides;
}

}  // namespace flowtrain::config
