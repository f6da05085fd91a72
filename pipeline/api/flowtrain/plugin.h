// The door by which every stage enters, built-in ones included: a plugin's descriptor and the
// registrar it is given.
//
//   FLOWTRAIN_PLUGIN("blur", "1.0", r) { r.Add<Blur>(); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <flowtrain/declaration.h>
#include <flowtrain/export.h>

namespace flowtrain {

class FLOWTRAIN_API Registrar {
 public:
  virtual ~Registrar();
  // Registers stage S (S::Params, S::Declare, a constructor from Params). Throws Error for a type
  // that is there already or is not named <plugin>.<stage>.
  template <class S>
  void Add();
  // Registers a stage whose code is loaded only when one is made (a plugin that hosts something
  // heavy keeps that in a second library).
  template <class P>
  void AddDeferred(StageKind kind, void (*declare)(Declaration<P>&), std::function<std::unique_ptr<Stage>(const P&)> create);

  virtual void Register(StageDeclaration declaration) = 0;
};

inline constexpr uint64_t kPluginMagic = 0x6e69617274776f6cULL;

// Compiler and C++ library: what std:: types in the API depend on.
#define FLOWTRAIN_STRINGIFY_(x) #x
#define FLOWTRAIN_STRINGIFY(x) FLOWTRAIN_STRINGIFY_(x)
#define FLOWTRAIN_BUILD_TAG "libstdc++-cxx11abi" FLOWTRAIN_STRINGIFY(_GLIBCXX_USE_CXX11_ABI)

struct PluginDescriptor {
  uint64_t magic;
  uint32_t size;  // of this struct
  int32_t abi;
  const char* build_tag;
  const char* name;
  const char* version;
  void (*register_stages)(Registrar&);
};

}  // namespace flowtrain

#define FLOWTRAIN_PLUGIN(name, version, registrar)                                              \
  static void FlowtrainRegister(::flowtrain::Registrar& registrar);                             \
  extern "C" FLOWTRAIN_API const ::flowtrain::PluginDescriptor flowtrain_plugin;                \
  extern "C" const ::flowtrain::PluginDescriptor flowtrain_plugin = {                           \
      ::flowtrain::kPluginMagic, sizeof(::flowtrain::PluginDescriptor), ::flowtrain::kAbiVersion, \
      FLOWTRAIN_BUILD_TAG, name, version, &FlowtrainRegister};                                  \
  static void FlowtrainRegister(::flowtrain::Registrar& registrar)
