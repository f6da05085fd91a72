// What the command line of `flowtrain check` names: a library, parameters, samples. Main thread.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pipeline/cli/check_samples.h"

namespace flowtrain::cli {

// A fault of the command line.
struct Usage {
  std::string why;
};

struct Library {
  std::filesystem::path path, folder;
  std::string plugin;
};

// Each throws Usage.
Library LibraryOf(const std::string& argument);
// "image=photo.webp"
EncodedFiles ReadSamples(const std::vector<std::string>& options);
// "blur.box={\"radius\": 2}"; by stage type. Only the JSON is looked at.
std::map<std::string, Value> ReadParams(const std::vector<std::string>& options);

}  // namespace flowtrain::cli
