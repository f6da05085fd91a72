// What lies among class folders and is no sample: counted, the first ones named, so that a source
// says it once. Used in Open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stages/data/counted_names.h"

namespace flowtrain::data {

// What operating systems strew about (IsStrewn) is left out without a word.
class ClassStrays {
 public:
  // Pictures beside the class folders.
  void LookBeside(const std::filesystem::path& half);
  // The class folder's pictures, sorted bytewise; what else is there is a stray. Throws
  // LayoutError.
  std::vector<std::string> PicturesOf(const std::filesystem::path& half, const std::string& name);
  // A sentence for each kind that was met.
  std::vector<std::string> Texts() const;

 private:
  CountedNames beside_, files_, folders_, others_;
};

}  // namespace flowtrain::data
