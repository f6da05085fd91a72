// Files that must survive a crash: writes and syncs that name the path and the reason when they
// fail.
#pragma once

#include <filesystem>
#include <string>

namespace flowtrain::run {

// "PATH: what: reason of errno", as Error.
[[noreturn]] void ThrowErrno(const std::filesystem::path& path, const std::string& what);

// Writes the whole file (made or emptied first). Not synced. Throws Error.
void WriteFile(const std::filesystem::path& path, const std::string& text);
std::string ReadFile(const std::filesystem::path& path);  // throws Error

// XXH3 (64 bits) in hexadecimal. Throws Error where the file can't be read.
std::string HashText(const std::string& text);
std::string HashFile(const std::filesystem::path& path);

// Flushes one file or folder to storage. Throws Error.
void Sync(const std::filesystem::path& path);
// Every file and folder below, then the folder itself.
void SyncTree(const std::filesystem::path& folder);

// Makes `link` point to `target` (kept relative), replacing a link that is there in one step.
void PointLink(const std::filesystem::path& link, const std::string& target);

}  // namespace flowtrain::run
