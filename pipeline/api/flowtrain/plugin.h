// The door by which every stage enters, built-in ones included: a plugin's descriptor and the
// registrar it is given.
//
//   FLOWTRAIN_PLUGIN("blur", "1.0", r) { r.Add<Blur>(); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <flowtrain/declaration.h>
#include <flowtrain/export.h>

namespace flowtrain {

// Something a plugin offers to the stages of others, found by interface and name.
struct Provision {
  std::string interface;                        // "acme.Palette/1"; another number: not compatible
  std::string name;                             // <plugin>.<thing>
  std::function<std::shared_ptr<void>()> make;  // called once, when it is first looked up
};

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

  // Offers `thing` to stages that ask OpenContext::Find<I>(name). I is a class whose header both
  // sides include; it has no more than virtual functions and
  //   static constexpr const char* kInterface = "acme.Palette/1";
  // `name` is <plugin>.<thing>, so that looking it up opens the plugin. What is provided lives as long
  // as the process, and several threads may use it. Throws Error for a name that is there already.
  template <class I>
  void Provide(std::string name, std::shared_ptr<I> thing) {
    Offer(Provision{I::kInterface, std::move(name), [thing = std::move(thing)] { return thing; }});
  }
  // The same, made when it is first looked up. Where it throws, the stage that asked gets an Error with the cause.
  template <class I>
  void Provide(std::string name, std::function<std::shared_ptr<I>()> make) {
    Offer(Provision{I::kInterface, std::move(name), [make = std::move(make)] { return make(); }});
  }

  virtual void Register(StageDeclaration declaration) = 0;
  virtual void Offer(Provision provision);  // throws Error where the registrar takes stages only
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
