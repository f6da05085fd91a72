#include "pipeline/config/upstream.h"

#include <algorithm>

#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

// A parameter that has an entry for each of `sources`.
void CheckBySource(const StageEntry& entry, const std::string& parameter,
                   const std::vector<std::string>& sources, Faults& faults) {
  const Value& map = entry.params.At(parameter);
  const std::string pointer = Join(entry.pointer, parameter);
  for (const auto& [name, value] : map.AsObject()) {
    if (std::find(sources.begin(), sources.end(), name) != sources.end()) continue;
    faults.Add(Join(pointer, name), "\"" + name + "\" is no source that leads into \"" + entry.name +
                                        "\"" + Hint(name, sources));
  }
  for (const std::string& source : sources) {
    if (map.Find(source) == nullptr)
      faults.Add(pointer, "\"" + source + "\" is missing: it leads into \"" + entry.name + "\"");
  }
}

}  // namespace

void CheckUpstream(std::vector<StageEntry>& entries, const Links& links, Faults& faults) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].takes_sources()) continue;
    std::vector<std::string> sources;
    for (const Link& link : links.all) {
      StageEntry& from = entries[link.from];
      if (link.to != i || from.role != Role::kSource) continue;
      sources.push_back(from.name);
      for (const std::string& name : from.framework_written)
        faults.Add(Join(from.pointer, name), "has no effect, as \"" + entries[i].name + "\" draws from \"" +
                                                 from.name + "\"; set it there");
      from.framework = Value::Object{};
      from.framework_specs.clear();
      from.framework_written.clear();
    }
    if (links.excused[i] || sources.empty() || !entries[i].params_good) continue;
    for (const ParamSpec& spec : entries[i].declaration->params) {
      if (spec.by_source) CheckBySource(entries[i], spec.name, sources, faults);
    }
  }
}

}  // namespace flowtrain::config
