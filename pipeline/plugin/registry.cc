#include "pipeline/plugin/registry.h"

#include <algorithm>
#include <set>

#include "pipeline/config/stage_entries.h"

namespace flowtrain::plugin {
namespace {

void CheckType(const std::string& type, const std::string& plugin) {
  const std::string prefix = plugin + ".";
  const bool named = type.starts_with(prefix) && type.size() > prefix.size() &&
                     type.find('.', prefix.size()) == std::string::npos;
  if (!named) throw Error("the stage type \"" + type + "\" is not named " + prefix + "<stage>");
}

void CheckParamNames(const StageDeclaration& declaration) {
  const std::vector<std::string> reserved = config::ReservedNames(declaration.kind);
  std::set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (!seen.insert(name).second)
      throw Error("\"" + declaration.type + "\" declares the parameter \"" + name + "\" twice");
    if (std::find(reserved.begin(), reserved.end(), name) == reserved.end()) return;
    throw Error("\"" + declaration.type + "\" declares the parameter \"" + name +
                "\", which the framework has on every " + StageKindName(declaration.kind));
  };
  for (const ParamSpec& spec : declaration.params) {
    add(spec.name);
    for (const OldName& old : spec.old_names) add(old.name);
  }
}

void CheckInputs(const StageDeclaration& declaration) {
  const bool batches =
      declaration.kind == StageKind::kBatchTransform || declaration.kind == StageKind::kConsumer;
  if (!batches && !declaration.inputs.empty())
    throw Error("\"" + declaration.type + "\" names inputs, which only stages of batches have");
  if (batches && declaration.inputs.empty())
    throw Error("\"" + declaration.type + "\" names no input");
  if (declaration.kind == StageKind::kBatchTransform && declaration.inputs.size() > 1) {
    throw Error("\"" + declaration.type + "\" names several inputs; a batch transform has one");
  }
  std::set<std::string> seen;
  for (const InputPort& port : declaration.inputs) {
    if (!seen.insert(port.name).second)
      throw Error("\"" + declaration.type + "\" names the input \"" + port.name + "\" twice");
  }
}

}  // namespace

void Registry::Add(const PluginInfo& plugin,
                   const std::function<void(Registrar&)>& register_stages) {
  registering_ = &plugin;
  try {
    register_stages(*this);
  } catch (...) {
    registering_ = nullptr;
    std::erase_if(stages_, [&](const auto& stage) {
      return stage.second.plugin.path == plugin.path && stage.second.plugin.name == plugin.name;
    });
    throw;
  }
  registering_ = nullptr;
}

void Registry::Register(StageDeclaration declaration) {
  if (registering_ == nullptr)
    throw Error("stages can be registered only while their plugin is loaded");
  const std::string type = declaration.type;
  CheckType(type, registering_->name);
  if (const RegisteredStage* there = Find(type)) {
    throw Error("the stage type \"" + type + "\" is there already, from the plugin \"" +
                there->plugin.name + "\" (" + there->plugin.path + ")");
  }
  CheckParamNames(declaration);
  CheckInputs(declaration);
  stages_.emplace(type, RegisteredStage{std::move(declaration), *registering_});
}

const RegisteredStage* Registry::Find(const std::string& type) const {
  const auto found = stages_.find(type);
  return found == stages_.end() ? nullptr : &found->second;
}

std::vector<std::string> Registry::Types() const {
  std::vector<std::string> types;
  for (const auto& [type, stage] : stages_) types.push_back(type);
  return types;
}

}  // namespace flowtrain::plugin
