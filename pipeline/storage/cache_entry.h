// One entry of the disk cache: a file with a header that vouches for the bytes behind it. It appears
// whole or not at all, and what a lost write left of it is noticed when it is read.
#pragma once

#include <flowtrain/sample.h>
#include <flowtrain/source_file.h>

#include <filesystem>
#include <functional>
#include <optional>

#include "pipeline/storage/cache.h"

namespace flowtrain::storage {

inline constexpr uint64_t kEntryHeaderBytes = 64;

struct CacheEntry {
  Buffer bytes;
  FileStamp of;  // the file that they were read from
};

enum class EntryState { kAbsent, kDamaged, kWhole };

// Damaged: no entry, cut short, of another key, or with bytes that are not those written. Any fault of
// the disk reads as absent.
EntryState ReadEntry(const std::filesystem::path& path, const CacheKey& key, CacheEntry& entry);

// Written under a name of its own in `drafts`, then put in place: readers see all of it or nothing, and
// a writer that was killed leaves a draft. An errno; 0: it is there.
int WriteEntry(const std::filesystem::path& path, const std::filesystem::path& drafts, const CacheKey& key,
               const FileStamp& of, const Buffer& bytes);

// Calls `each` with what is in the folder, as far as it can be listed.
void EachIn(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& each);

// Removes drafts whose writer is gone.
void RemoveDrafts(const std::filesystem::path& drafts);

}  // namespace flowtrain::storage
