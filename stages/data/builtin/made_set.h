// Sets that the program makes itself (roots that begin with "builtin:"): their files are made once
// in the user's cache folder.
#pragma once

#include <flowtrain/context.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace flowtrain::data::builtin {

struct MadeFile {
  std::filesystem::path path;  // relative to the set's folder
  std::vector<uint8_t> bytes;
};

struct MadeSet {
  std::string root;    // what a graph calls it: "builtin:camouflage"
  std::string folder;  // its folder in the cache; a change of the files needs a new name, for old
                       // caches hold the old ones
  uint64_t examples = 0;
  // Of the i-th example: the files' paths, and the files. Called from several threads.
  std::function<std::vector<std::filesystem::path>(uint64_t)> paths;
  std::function<std::vector<MadeFile>(uint64_t)> make;
};

// <cache_dir>/<folder> with all files. Made beside, synced and renamed, so that it is whole or
// absent; one process makes it while others wait. Reports progress and passes on Cancelled, leaving
// nothing half-made. Throws Error where it can't be written.
std::filesystem::path EnsureMade(const MadeSet& set, OpenContext& context);

}  // namespace flowtrain::data::builtin
