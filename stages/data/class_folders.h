// Finds the class folders of a classification set (ImageNet's layout) under a root:
//   {train,val}/<class>/*   the set's folder, or the folder above it
//   <class>/*               a half's own folder, or a set without halves
// Folders of halves in any case. Nothing is read but folders. Used once, in Open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stages/data/folders.h"

namespace flowtrain::data {

constexpr size_t kClassesShown = 10;  // names in a message

struct ClassHalf {
  FolderKind split = FolderKind::kOther;  // kTrain, kVal, kTest; kOther: a set without halves
  std::filesystem::path folder;
  std::vector<std::string> classes;  // its folders' names, sorted bytewise
  std::vector<std::string> again;    // links to folders that come by elsewhere: no classes
};

struct ClassTree {
  std::filesystem::path folder;   // of the set; of one half where that is the root
  std::vector<ClassHalf> halves;  // one of a kind at most
  const ClassHalf* half(FolderKind split) const;
};

// Throws LayoutError where the root can't be read or no class folder is found, saying what was
// found instead.
ClassTree FindClasses(const std::filesystem::path& root);

// How the classes of two halves differ, with numbers and names; empty where they don't.
std::string Difference(const ClassHalf& a, const ClassHalf& b);

}  // namespace flowtrain::data
