// Opens plugins and lets them register their stages. What is refused is kept with its reason.
// Owned by the program, beside the registry it fills; main thread. Libraries stay open for good:
// their types and code live in stages, errors and declarations.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <flowtrain/context.h>

#include "pipeline/config/graph_config.h"
#include "pipeline/plugin/registry.h"

namespace flowtrain::plugin {

struct Refusal {
  std::string plugin, path, reason;
};

class Loader {
 public:
  Loader(Registry& registry, std::vector<std::filesystem::path> folders)
      : registry_(registry), folders_(std::move(folders)) {}

  // Opens `plugin` from the first folder that has it, unless that was tried before. False: not
  // found or refused.
  bool Load(const std::string& plugin);
  // Opens every plugin that can be found.
  void LoadAll();

  // The stage type's declaration; opens its plugin if need be. Null: as config::Lookup has it.
  const StageDeclaration* Find(const std::string& type, std::vector<std::string>& known,
                               std::string& why);

  // What `name`'s plugin provides as `interface`; opens it if need be. Throws Error with the names
  // there are, or why the plugin is not there. Any thread, once the graph is validated.
  void* FindProvided(const std::string& interface, const std::string& name);

  // config::ProvidedCheck: opens `name`'s plugin by no means, and others only for the names there are.
  std::string WhyNotProvided(const std::string& interface, const std::string& name);

  const std::vector<Refusal>& refused() const { return refused_; }
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  // In the first folder that has it; empty: none has.
  std::filesystem::path PathOf(const std::string& plugin) const;
  void Open(const std::string& plugin, const std::filesystem::path& path);
  // Why FindProvided finds nothing. Opens all plugins.
  std::string NothingProvides(const std::string& interface, const std::string& name);
  std::string WhyNot(const std::string& plugin) const;
  std::string Unregistered(const std::string& plugin, const std::string& type) const;

  std::mutex mutex_;  // lets one stage at a time look up what is provided
  Registry& registry_;
  const std::vector<std::filesystem::path> folders_;
  std::map<std::string, bool> tried_;  // by plugin: whether it is loaded
  std::vector<Refusal> refused_;
};

// `loader` must outlive it.
config::Lookup MakeLookup(Loader& loader);

// The same for what is provided.
ProvidedLookup MakeProvidedLookup(Loader& loader);

}  // namespace flowtrain::plugin
