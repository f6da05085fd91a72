// The stage types there are, each with the plugin it came with. Owned by the program, passed to
// those who need it; filled on the main thread before a run, read-only afterwards.
#pragma once

#include <flowtrain/plugin.h>

#include <functional>
#include <map>
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

class Registry final : public Registrar {
 public:
  // Lets `register_stages` register the stages of `plugin`. Where it throws, none of them stays.
  void Add(const PluginInfo& plugin, const std::function<void(Registrar&)>& register_stages);

  // Called by plugins. Throws Error for a type that is there already, is not named
  // <plugin>.<stage>, or declares something twice or under a name that is the framework's.
  void Register(StageDeclaration declaration) override;

  // Null where there is none. The address stays good.
  const RegisteredStage* Find(const std::string& type) const;
  const std::map<std::string, RegisteredStage>& stages() const { return stages_; }
  std::vector<std::string> Types() const;

 private:
  std::map<std::string, RegisteredStage> stages_;
  const PluginInfo* registering_ = nullptr;  // whose Register is running
};

}  // namespace flowtrain::plugin
