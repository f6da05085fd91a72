// Opens a library that lies beside the one this is compiled into. Header-only: each half has its
// own.
#pragma once

#include <dlfcn.h>

#include <filesystem>

namespace flowtrain::train {

// The folder of the library that holds `symbol`.
inline std::filesystem::path FolderOf(const void* symbol) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

// Never closed: types that live in it would lose their code.
inline void* OpenLibrary(const std::filesystem::path& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace flowtrain::train
