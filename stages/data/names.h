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
// operating system strews about (names that begin with a dot, Thumbs.db).
bool IsPicture(std::string_view file_name);
// The file's name without its extension.
std::string_view Stem(std::string_view file_name);
// ASCII letters in lower case, other bytes as they are.
std::string Lower(std::string_view text);

// A name fit for a log: bytes that are not UTF-8, and control characters, as \xNN.
std::string Printable(std::string_view name);
// "1 image", "2 images".
std::string Count(size_t n, const char* one, const char* many);
// "a.jpg, b.jpg, c.jpg and 17 more"; at most `most` names, each made printable.
std::string Listed(const std::vector<std::string>& names, size_t most);

}  // namespace flowtrain::data
