// What a draw of classes and files came to, in files that people and `data.list` read. Used in
// Open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace flowtrain::data {

struct DrawnFile {
  uint32_t label = 0;
  std::filesystem::path path;  // relative to the set's folder
};

// Writes <cache>/subsets/<name>-<hash of the content>.tsv ("image", "label", "class", a line a
// file) and the same with .classes.txt (a line a class, in the order of the labels), and gives the
// first one's path. Throws Error where they can't be written.
std::filesystem::path WriteDrawn(const std::filesystem::path& cache, const std::string& name,
                                 const std::vector<std::string>& classes,
                                 const std::vector<DrawnFile>& files);

}  // namespace flowtrain::data
