// What folders and files of a dataset are called, and how their names are shown. Names are bytes,
// not text: they may hold anything but '/'. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtrain::data {

enum class FolderKind : uint8_t { kOther, kImages, kMasks, kTrain, kVal, kTest };

// By the folder's name, in any case.
FolderKind KindOfFolder(std::string_view name);
// For messages: "Image, Images, Img or Imgs".
extern const char* const kImageFolderNames;
extern const char* const kMaskFolderNames;

// True for a file that may hold a picture, by its extension in any case; false for what an
// operating system strews about.
bool IsPicture(std::string_view file_name);
// True for what operating systems, archivers and file servers strew about, files and folders: names
// that begin with a dot, Thumbs.db, desktop.ini, __MACOSX, @eaDir, lost+found and their like.
bool IsStrewn(std::string_view name);
// The file's name without its extension.
std::string_view Stem(std::string_view file_name);
// ASCII letters in lower case, other bytes as they are.
std::string Lower(std::string_view text);

// A name fit for a log: bytes that are not UTF-8, and what steers a terminal (control characters,
// those that turn the direction of text), as \xNN.
std::string Printable(std::string_view name);
// The same of a text that may be long: its ends, with "..." between them, where it has more than
// `most` bytes.
constexpr size_t kMostOfPath = 200;
std::string Clipped(std::string_view text, size_t most = kMostOfPath);
// A value somebody wrote, in quotes; about 60 bytes of it at most.
std::string Quoted(std::string_view value);
// "1 image", "2 images".
std::string Count(size_t n, const char* one, const char* many);
// "the folders in it are a, b and 17 more"; at most `most` of them.
std::string FoldersText(const std::vector<std::string>& folders, size_t most);
// "a.jpg, b.jpg, c.jpg and 17 more"; at most `most` names, each made printable
// and clipped as a path is.
std::string Listed(const std::vector<std::string>& names, size_t most);

}  // namespace flowtrain::data
