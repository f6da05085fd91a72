// The safetensors file format (https://github.com/huggingface/safetensors, README "Format"): 8 bytes
// of header length, a JSON header, the tensors' bytes. Free functions, on any thread.
#pragma once

#include <filesystem>

#include "model/io/tensor_map.h"

namespace flowtrain::model {

struct SafetensorsFile {
  TensorMap tensors;
  Metadata metadata;
};

// Writes the tensors (any device and strides; F64 F32 F16 BF16 I64 I32 U8 BOOL) and syncs the file.
// The same contents give the same bytes: largest element type first, then by name, so that every
// tensor is aligned. The header is padded to 8 bytes. Throws std::runtime_error that names the path
// (and the tensor, where one is at fault); what was written so far is removed then.
void WriteSafetensors(const std::filesystem::path& path, const TensorMap& tensors,
                      const Metadata& metadata);

// The tensors are views of a private mapping of the file, kept alive by them: pages are read on use, a
// write to a tensor never reaches the file, and the file must not be cut short meanwhile (replacing it
// by a rename is safe). Trusts nothing in it: throws std::runtime_error that names the file, the
// tensor and what is allowed. As in the reference, tensors must cover the data without gap or overlap.
SafetensorsFile ReadSafetensors(const std::filesystem::path& path);

}  // namespace flowtrain::model
