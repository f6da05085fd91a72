// The stage types and provided things there are, each with the plugin it came with. Owned by the program, passed to
// those who need it; filled on the main thread before a run. Afterwards stages are only read, and what
// is provided is looked up through the loader, which locks.
#pragma once

#include <flowtrain/plugin.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace flowtrain::plugin {

struct PluginInfo {
  std::string name, version, path;
};

struct RegisteredStage {
  StageDeclaration declaration;
  PluginInfo plugin;
};

struct Provided {
  Provision provision;
  PluginInfo plugin;
  std::shared_ptr<void> thing;  // null: not made yet
};

class Registry final : public Registrar {
 public:
  // Lets `register_stages` register the stages of `plugin`. Where it throws, none of them stays.
  void Add(const PluginInfo& plugin, const std::function<void(Registrar&)>& register_stages);

  // Called by plugins. Throws Error for a type that is there already, is not named <plugin>.<stage>,
  // declares something twice or under a name that is the framework's, or contradicts itself (a default
  // out of its own range).
  void Register(StageDeclaration declaration) override;

  // The same for something provided: each name once an interface, named <plugin>.<thing>.
  void Offer(Provision provision) override;

  // Null where there is none. The address stays good.
  const RegisteredStage* Find(const std::string& type) const;
  const std::map<std::string, RegisteredStage>& stages() const { return stages_; }
  std::vector<std::string> Types() const;

  // The provided thing; made now, if it was not yet. Null where there is none. Throws Error, naming both,
  // where its plugin fails to make it.
  void* FindProvided(const std::string& interface, const std::string& name);
  // By interface and name.
  using ProvidedMap = std::map<std::pair<std::string, std::string>, Provided>;
  const ProvidedMap& provided() const { return provided_; }

 private:
  std::map<std::string, RegisteredStage> stages_;
  ProvidedMap provided_;
  const PluginInfo* registering_ = nullptr;  // whose Register is running
};

}  // namespace flowtrain::plugin
