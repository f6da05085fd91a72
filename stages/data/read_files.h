// Reads the files of one sample. On any I/O thread.
#pragma once

#include <flowtrain/context.h>
#include <flowtrain/sample.h>

#include <filesystem>

namespace flowtrain::data {

// The image's path is the sample's from now on, also where its file can't be read.
inline void ReadImage(const std::filesystem::path& path, Sample& sample, ReadContext& context) {
  sample.path = path.native();
  sample.set_encoded("image", context.ReadFile(path));
}

inline void ReadMask(const std::filesystem::path& path, Sample& sample, ReadContext& context) {
  sample.set_encoded("mask", context.ReadFile(path));
}

}  // namespace flowtrain::data
