// The declarations that a plugin registers, read through the plugin's own door: either from its
// shared library or from stages named in the test. For tests; any thread.
#pragma once

#include <flowtrain/stage.h>

#include <filesystem>
#include <string>
#include <vector>

namespace flowtrain::testing {

// Collects what is registered.
class CollectingRegistrar final : public Registrar {
 public:
  void Register(StageDeclaration declaration) override {
    declarations.push_back(std::move(declaration));
  }
  void Offer(Provision provision) override { provisions.push_back(std::move(provision)); }
  // Throws Error, naming those there are.
  const StageDeclaration& Find(const std::string& type) const;

  std::vector<StageDeclaration> declarations;
  std::vector<Provision> provisions;
};

// Opens a plugin's library (never closed again). Throws Error with the loader's reason.
CollectingRegistrar LoadPlugin(const std::filesystem::path& library);

// The declaration of one stage class.
template <class S>
StageDeclaration DeclarationOf() {
  CollectingRegistrar registrar;
  registrar.Add<S>();
  return registrar.declarations.at(0);
}

}  // namespace flowtrain::testing
