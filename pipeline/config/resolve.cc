#include "pipeline/config/resolve.h"

#include <algorithm>
#include <iterator>

#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

bool Observes(const StageEntry& entry) {
  return entry.declaration != nullptr && entry.declaration->observer;
}

// One arrow a line, sorted: the same graph gives the same list however its chains were written.
Value EdgeList(const std::vector<StageEntry>& entries, const std::vector<Link>& links) {
  std::vector<std::string> arrows;
  for (const Link& link : links) {
    arrows.push_back(entries[link.from].name + " -> " + entries[link.to].name +
                     (link.port.empty() ? "" : "." + link.port));
  }
  std::sort(arrows.begin(), arrows.end());
  return Value::List(arrows.begin(), arrows.end());
}

class FixedParams {
 public:
  std::vector<std::pair<std::string, Value>> found;
  std::set<std::string> at_default, paths;

  void Walk(const std::vector<ParamSpec>& specs, const Value& object, const std::string& pointer) {
    for (const ParamSpec& spec : specs) {
      if (spec.effect == Effect::kRuntime) continue;
      const Value* value = object.Find(spec.name);
      if (value == nullptr) continue;
      const std::string place = Join(pointer, spec.name);
      if (*value == spec.default_value) at_default.insert(place);
      WalkValue(spec.type, *value, place);
    }
  }

 private:
  void WalkValue(const TypeSpec& type, const Value& value, const std::string& pointer) {
    if (type.kind == ParamKind::kStruct && value.is_object())
      return Walk(type.fields, value, pointer);
    if (type.kind == ParamKind::kOneOf && value.is_object()) {
      const Value& tag = value.At(type.tag_key);
      found.emplace_back(Join(pointer, type.tag_key), tag);
      for (const Alternative& alternative : type.alternatives) {
        if (tag == Value(alternative.tag)) Walk(alternative.fields, value, pointer);
      }
      return;
    }
    if (type.kind == ParamKind::kPath) paths.insert(pointer);
    const bool of_objects = type.kind == ParamKind::kList && value.is_list() &&
                            !value.AsList().empty() && value.AsList()[0].is_object();
    if (!of_objects) {
      found.emplace_back(pointer, value);
      return;
    }
    for (size_t i = 0; i < value.AsList().size(); ++i)
      WalkValue(type.element[0], value.AsList()[i], Join(pointer, i));
  }
};

}  // namespace

Value Resolved(const ValidatedGraph& graph, const std::vector<StageEntry>& entries,
               const std::vector<Link>& links, const Value& metrics, const Value& run) {
  Value stages{Value::Object{}};
  for (const StageEntry& entry : entries) {
    Value stage{Value::Object{{"type", entry.type}}};
    for (const Value* part : {&entry.params, &entry.framework}) {
      for (const auto& [key, value] : part->AsObject()) stage.Set(key, value);
    }
    stages.Set(entry.name, std::move(stage));
  }
  return Value::Object{{"name", graph.name},          {"seed", static_cast<int64_t>(graph.seed)},
                       {"stages", std::move(stages)}, {"edges", EdgeList(entries, links)},
                       {"metrics", metrics},          {"run", run}};
}

void SetFixed(const std::vector<StageEntry>& entries, const std::vector<Link>& links,
              ValidatedGraph& graph) {
  FixedParams fixed;
  fixed.found.emplace_back("/seed", static_cast<int64_t>(graph.seed));
  // Whoever only looks on may come and go.
  std::vector<Link> kept;
  std::copy_if(links.begin(), links.end(), std::back_inserter(kept),
               [&](const Link& link) { return !Observes(entries[link.to]); });
  for (const StageEntry& entry : entries) {
    if (Observes(entry)) continue;
    fixed.found.emplace_back(entry.pointer + "/type", entry.type);
    fixed.paths.clear();
    if (entry.declaration != nullptr)
      fixed.Walk(entry.declaration->params, entry.params, entry.pointer);
    if (entry.role == Role::kSource) {
      for (const std::string& pointer : fixed.paths)
        graph.source_paths.emplace(pointer, entry.name);
    }
    fixed.Walk(entry.framework_specs, entry.framework, entry.pointer);
  }
  fixed.found.emplace_back("/edges", EdgeList(entries, kept));
  graph.fixed = std::move(fixed.found);
  graph.at_default = std::move(fixed.at_default);
}

}  // namespace flowtrain::config
