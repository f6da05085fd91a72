#include "pipeline/plugin/registry.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "pipeline/config/check_declaration.h"
#include "pipeline/config/stage_entries.h"

namespace flowtrain::plugin {
namespace {

// <plugin>.<something>
bool IsNamedAfter(const std::string& plugin, const std::string& name) {
  const std::string prefix = plugin + ".";
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find('.', prefix.size()) == std::string::npos;
}

void CheckType(const std::string& type, const std::string& plugin) {
  if (!IsNamedAfter(plugin, type))
    throw Error("the stage type \"" + type + "\" is not named " + plugin + ".<stage>");
}

// For as long as the process lives: a stage that never returned is left behind at the end and may
// still use what it found, and destructors at exit would run in an order nobody chose.
void KeepForGood(std::shared_ptr<void> thing) {
  static std::mutex mutex;  // protects kept
  static auto* kept = new std::vector<std::shared_ptr<void>>();
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(thing));
}

// An error of its maker's, or whatever it throws, with the plugin and the thing before it.
std::shared_ptr<void> Made(const Provided& provided) {
  const std::string what = "the plugin \"" + provided.plugin.name + "\" (" + provided.plugin.path +
                           ") failed to make \"" + provided.provision.name + "\": ";
  try {
    return provided.provision.make();
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(what + error.what());
  } catch (...) {
    throw Error(what + "it threw something that is no std::exception");
  }
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

void CheckParams(const StageDeclaration& declaration) {
  const std::string fault = config::DeclarationFault(declaration.params);
  if (!fault.empty()) throw Error("\"" + declaration.type + "\": " + fault);
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
    if (!config::IsLowerSnake(port.name))
      throw Error("\"" + declaration.type + "\": the input \"" + port.name + "\" " + config::kLowerSnakeRule);
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
    const auto is_its = [&](const auto& entry) {
      return entry.second.plugin.path == plugin.path && entry.second.plugin.name == plugin.name;
    };
    std::erase_if(stages_, is_its);
    std::erase_if(provided_, is_its);
    throw;
  }
  registering_ = nullptr;
}

void Registry::Register(StageDeclaration declaration) {
  if (registering_ == nullptr)
    throw Error("stages can be registered only while their plugin is loaded");
  const std::string type = declaration.type;
  CheckType(type, registering_->name);
  if (const std::string stage = type.substr(type.find('.') + 1); !config::IsLowerSnake(stage))
    throw Error("the stage type \"" + type + "\": \"" + stage + "\" " + config::kLowerSnakeRule);
  if (const RegisteredStage* there = Find(type)) {
    throw Error("the stage type \"" + type + "\" is there already, from the plugin \"" +
                there->plugin.name + "\" (" + there->plugin.path + ")");
  }
  CheckParamNames(declaration);
  CheckParams(declaration);
  CheckInputs(declaration);
  stages_.emplace(type, RegisteredStage{std::move(declaration), *registering_});
}

void Registry::Offer(Provision provision) {
  if (registering_ == nullptr)
    throw Error("things can be provided only while their plugin is loaded");
  const std::string name = provision.name, interface = provision.interface;
  if (!IsNamedAfter(registering_->name, name))
    throw Error("\"" + name + "\", which is provided, is not named " + registering_->name + ".<thing>");
  if (interface.empty()) throw Error("\"" + name + "\" is provided under an interface without a name");
  const Provided provided{std::move(provision), *registering_, nullptr};
  if (!provided_.try_emplace({interface, name}, provided).second)
    throw Error("\"" + name + "\" is provided twice as " + interface);
}

void* Registry::FindProvided(const std::string& interface, const std::string& name) {
  const auto found = provided_.find({interface, name});
  if (found == provided_.end()) return nullptr;
  Provided& provided = found->second;
  if (provided.thing == nullptr) {
    provided.thing = Made(provided);
    if (provided.thing == nullptr)
      throw Error("the plugin \"" + provided.plugin.name + "\" gave nothing for \"" + name + "\"");
    KeepForGood(provided.thing);
  }
  return provided.thing.get();
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
