// The index of a tar file: where its members lie, kept in the cache folder from the first run that
// needs it on. A file of another size or time is indexed anew. Several processes may do so at once:
// an index is there whole or not at all.
#pragma once

#include <flowtrain/source_file.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "stages/data/tar_members.h"

namespace flowtrain::data {

struct ShardIndex {
  FileStamp of;
  TarContents contents;
};

// From the folder `cache` where it stands there and fits, else by a pass over the headers, kept
// there afterwards; an empty `cache` is none. `unkept` is called with the reason where it can't be.
// Throws what SourceFile throws. Any thread.
ShardIndex IndexOf(const std::filesystem::path& shard, const std::filesystem::path& cache,
                   const std::function<bool()>& stopping,
                   const std::function<void(const std::string&)>& unkept);

// Where the index of a shard is kept.
std::filesystem::path IndexPath(const std::filesystem::path& shard,
                                const std::filesystem::path& cache);

std::string FormatIndex(const ShardIndex& index);
// Nothing where the text is no index, or not a whole one.
std::optional<ShardIndex> ParseIndex(std::string_view text);

}  // namespace flowtrain::data
