#include "pipeline/plugin/loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "pipeline/config/nearest.h"
#include "pipeline/plugin/elf_file.h"
#include "pipeline/plugin/opening_guard.h"
#include "pipeline/plugin/process_limits.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::plugin {
namespace {

constexpr const char* kSymbol = "flowtrain_plugin";

// A plugin's name becomes part of a file's.
bool IsPluginName(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

void CheckDescriptor(const PluginDescriptor& descriptor, const std::string& plugin) {
  if (descriptor.magic != kPluginMagic)
    throw Error(std::string("its \"") + kSymbol + "\" is no plugin descriptor of flowtrain's");
  // The size and the ABI number stand at the same place in every version.
  if (descriptor.abi != kAbiVersion) {
    throw Error("it was built for plugin ABI " + std::to_string(descriptor.abi) +
                ", this program has " + std::to_string(kAbiVersion) + ": build it again");
  }
  if (descriptor.size != sizeof(PluginDescriptor)) {
    throw Error("its descriptor has " + std::to_string(descriptor.size) +
                " bytes, this program's " + std::to_string(sizeof(PluginDescriptor)) +
                ": build it again");
  }
  if (std::strcmp(descriptor.build_tag, FLOWTRAIN_BUILD_TAG) != 0) {
    throw Error(std::string("it was built with ") + descriptor.build_tag + ", this program with " +
                FLOWTRAIN_BUILD_TAG + ": build it with the same compiler and C++ library");
  }
  if (plugin != descriptor.name)
    throw Error(std::string("it calls itself \"") + descriptor.name + "\"; its file should be " +
                LibraryName(descriptor.name));
}

const PluginDescriptor& OpenLibrary(const std::filesystem::path& path) {
  const ElfFile file = InspectElf(path, kSymbol);
  if (!file.fault.empty()) throw Error(file.fault);
  if (!file.exports) throw Error(std::string("it is no plugin: it exports no \"") + kSymbol + "\"");
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = dlerror();
    const bool memory = why.find(std::strerror(ENOMEM)) != std::string::npos || why.find("map") != std::string::npos;
    throw Error(why + (memory ? MemoryLimit() : ""));
  }
  return *static_cast<const PluginDescriptor*>(dlsym(library, kSymbol));
}

}  // namespace

void Loader::Open(const std::string& plugin, const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& reason) {
    refused_.push_back({plugin, path.string(), reason});
  };
  const OpeningGuard guard(path);
  try {
    const PluginDescriptor& descriptor = OpenLibrary(path);
    CheckDescriptor(descriptor, plugin);
    registry_.Add({plugin, descriptor.version, path.string()}, descriptor.register_stages);
    tried_[plugin] = true;
  } catch (const std::bad_alloc&) {
    refuse("memory ran out while it was opened" + MemoryLimit());
  } catch (const std::exception& error) {
    refuse(error.what());
  } catch (...) {
    refuse("it threw something that is no std::exception while it registered its stages");
  }
}

std::filesystem::path Loader::PathOf(const std::string& plugin) const {
  if (!IsPluginName(plugin)) return {};
  for (const std::filesystem::path& folder : folders_) {
    // An absolute path: dlopen would look up a bare name elsewhere.
    std::error_code error;
    std::filesystem::path path = std::filesystem::absolute(folder / LibraryName(plugin), error);
    if (!error && std::filesystem::exists(path, error)) return path;
  }
  return {};
}

bool Loader::Load(const std::string& plugin) {
  if (const auto tried = tried_.find(plugin); tried != tried_.end()) return tried->second;
  const std::filesystem::path path = PathOf(plugin);
  if (path.empty()) return false;
  tried_[plugin] = false;
  Open(plugin, path);
  return tried_[plugin];
}

void Loader::LoadAll() {
  for (const std::filesystem::path& folder : folders_) {
    for (const std::string& plugin : LibrariesIn(folder)) {
      // flowtrain's other libraries stand in the same folders; only what claims to be a plugin, or
      // is damaged, is worth a word.
      const ElfFile file = InspectElf(folder / LibraryName(plugin), kSymbol);
      if (file.exports || !file.fault.empty()) Load(plugin);
    }
  }
}

std::string Loader::WhyNot(const std::string& plugin) const {
  for (const Refusal& refusal : refused_) {
    if (refusal.plugin == plugin)
      return "the plugin \"" + plugin + "\" (" + refusal.path + ") was refused: " + refusal.reason;
  }
  if (tried_.contains(plugin)) return "";  // it is there; what is looked up is not
  std::string text =
      "there is no plugin \"" + plugin + "\" (" + LibraryName(plugin) + "); searched";
  for (const std::filesystem::path& folder : folders_) {
    std::vector<std::string> there;
    for (const std::string& name : LibrariesIn(folder)) {
      if (tried_.contains(name)) there.push_back(name);
    }
    std::error_code error;
    const bool exists = std::filesystem::is_directory(folder, error);
    text += (&folder == &folders_.front() ? " " : ", ") + folder.string() +
            (exists ? " (has " + config::Quoted(there) + ")" : " (no such folder)");
  }
  return text;
}

// Of a plugin that is there, without this stage. Empty: it has one of nearly that name.
std::string Loader::Unregistered(const std::string& plugin, const std::string& type) const {
  std::vector<std::string> own;
  for (const auto& [registered, stage] : registry_.stages()) {
    if (stage.plugin.name == plugin) own.push_back(registered);
  }
  if (!config::Nearest(type, own).empty()) return "";
  return "the plugin \"" + plugin + "\" registers " + (own.empty() ? "no stage" : config::Quoted(own) + " only") +
         ": each of its stages needs an Add in its FLOWTRAIN_PLUGIN";
}

const StageDeclaration* Loader::Find(const std::string& type, std::vector<std::string>& known,
                                     std::string& why) {
  const std::string plugin = type.substr(0, type.find('.'));
  Load(plugin);
  if (const RegisteredStage* stage = registry_.Find(type)) return &stage->declaration;
  LoadAll();  // for the nearest name
  known = registry_.Types();
  why = WhyNot(plugin);
  if (const auto tried = tried_.find(plugin); tried != tried_.end() && tried->second) why = Unregistered(plugin, type);
  return nullptr;
}

void* Loader::FindProvided(const std::string& interface, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const std::string plugin = name.substr(0, name.find('.'));
  Load(plugin);
  if (void* thing = registry_.FindProvided(interface, name)) return thing;
  throw Error(NothingProvides(interface, name));
}

std::string Loader::WhyNotProvided(const std::string& interface, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const std::string plugin = name.substr(0, name.find('.'));
  if (registry_.provided().contains({interface, name})) return "";
  // What a plugin provides may be heavy to open, as LibTorch is.
  if (!tried_.contains(plugin) && !PathOf(plugin).empty()) return "";
  return NothingProvides(interface, name);
}

std::string Loader::NothingProvides(const std::string& interface, const std::string& name) {
  const std::string plugin = name.substr(0, name.find('.'));
  LoadAll();  // for the names there are
  std::vector<std::string> names, others;
  for (const auto& [key, provided] : registry_.provided()) {
    if (key.first == interface) names.push_back(key.second);
    if (key.second == name) others.push_back(key.first);
  }
  std::string text = "nothing provides \"" + name + "\" as " + interface;
  text += names.empty() ? "; nothing at all is provided as that" : config::Hint(name, names);
  if (!others.empty()) text += "; the plugin provides it as " + config::Quoted(others);
  if (const std::string why = WhyNot(plugin); !why.empty()) return text + "; " + why;
  std::vector<std::string> loaded;
  for (const auto& [tried, is_loaded] : tried_)
    if (is_loaded) loaded.push_back(tried);
  return text + "; plugins loaded: " + config::Quoted(loaded);
}

config::Lookup MakeLookup(Loader& loader) {
  return {[&loader](const std::string& type, std::vector<std::string>& known, std::string& why) {
            return loader.Find(type, known, why);
          },
          [&loader](const std::string& interface, const std::string& name) {
            return loader.WhyNotProvided(interface, name);
          }};
}

ProvidedLookup MakeProvidedLookup(Loader& loader) {
  return [&loader](const std::string& interface, const std::string& name) {
    return loader.FindProvided(interface, name);
  };
}

}  // namespace flowtrain::plugin
