// Looks at a shared library without opening it: dlopen of a cut-off file ends the process (SIGBUS,
// glibc 2.36), and dlopen of one that is no plugin runs its constructors.
#pragma once

#include <filesystem>
#include <string>

namespace flowtrain::plugin {

struct ElfFile {
  std::string fault;     // why it can't be a shared library that opens here; empty: none seen
  bool exports = false;  // the symbol is in its dynamic symbol table
};

ElfFile InspectElf(const std::filesystem::path& path, const std::string& symbol);

}  // namespace flowtrain::plugin
