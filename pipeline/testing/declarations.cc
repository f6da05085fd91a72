#include <flowtrain/testing/declarations.h>

#include <dlfcn.h>

#include <string_view>

namespace flowtrain::testing {

const StageDeclaration& CollectingRegistrar::Find(const std::string& type) const {
  std::string known;
  for (const StageDeclaration& declaration : declarations) {
    if (declaration.type == type) return declaration;
    known += (known.empty() ? "" : ", ") + declaration.type;
  }
  throw Error("no stage \"" + type + "\" is registered; there are " + known);
}

CollectingRegistrar LoadPlugin(const std::filesystem::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Error(std::string("cannot open the plugin: ") + dlerror());
  const auto* descriptor = static_cast<const PluginDescriptor*>(dlsym(handle, "flowtrain_plugin"));
  if (descriptor == nullptr) throw Error(library.string() + " has no symbol flowtrain_plugin");
  if (descriptor->magic != kPluginMagic || descriptor->size != sizeof(PluginDescriptor) ||
      descriptor->abi != kAbiVersion ||
      descriptor->build_tag != std::string_view(FLOWTRAIN_BUILD_TAG)) {
    throw Error(library.string() + " was built for another flowtrain");
  }
  CollectingRegistrar registrar;
  descriptor->register_stages(registrar);
  return registrar;
}

}  // namespace flowtrain::testing
