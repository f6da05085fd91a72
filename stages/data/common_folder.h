// The folder that all of some paths lie in, so that they can be named without it: the same files
// moved elsewhere keep their names. Text only; nothing is looked at. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flowtrain::data {

class CommonFolder {
 public:
  // A file's path, or, with '/' at its end, a folder's.
  void Add(std::string_view path);
  // One of those that were added, without what all have in common.
  std::string_view Inside(std::string_view path) const { return path.substr(folder_.size()); }

 private:
  std::string folder_;  // up to and with a '/', or empty
  bool any_ = false;
};

}  // namespace flowtrain::data
