// What a source's parameter `root` names: a folder, or a set that the program makes itself.
#pragma once

#include <flowtrain/context.h>

#include <filesystem>
#include <functional>
#include <string>

namespace flowtrain::data::builtin {

// The one set that goes with a source.
struct Offer {
  const char* root;  // "builtin:camouflage"
  std::function<std::filesystem::path(OpenContext&)> ensure;
};

// The folder; the offered set is made where it is named. Refuses an empty root, another built-in
// set, and the test half of a set, for a set has none.
std::filesystem::path RootFolder(const std::string& root, const std::string& split,
                                 const Offer& offer, OpenContext& context);

}  // namespace flowtrain::data::builtin
