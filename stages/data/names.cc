#include "stages/data/names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace flowtrain::data {
namespace {

constexpr std::pair<std::string_view, FolderKind> kFolders[] = {
    {"image", FolderKind::kImages},
    {"images", FolderKind::kImages},
    {"img", FolderKind::kImages},
    {"imgs", FolderKind::kImages},
    {"gt_object", FolderKind::kMasks},
    {"gt", FolderKind::kMasks},
    {"gts", FolderKind::kMasks},
    {"mask", FolderKind::kMasks},
    {"masks", FolderKind::kMasks},
    {"train", FolderKind::kTrain},
    {"traindataset", FolderKind::kTrain},
    {"trainvaldataset", FolderKind::kTrain},
    {"val", FolderKind::kVal},
    {"validation", FolderKind::kVal},
    {"valdataset", FolderKind::kVal},
    {"test", FolderKind::kTest},
    {"testdataset", FolderKind::kTest},
};

// Formats that the decoder does not read are here too: it says so, with the file's name.
constexpr std::string_view kExtensions[] = {"jpg",  "jpeg", "jpe",  "png", "bmp", "gif",
                                            "webp", "tif",  "tiff", "ppm", "pgm"};

// The length of the UTF-8 sequence that `text` begins with; 0 where it begins with none (RFC 3629).
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0,
               surrogate = first == 0xED && second > 0x9F;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90, beyond = first == 0xF4 && second > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

const char* const kImageFolderNames = "Image, Images, Img or Imgs";
const char* const kMaskFolderNames = "GT_Object, GT, GTs, Mask or Masks";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

FolderKind KindOfFolder(std::string_view name) {
  const std::string lower = Lower(name);
  for (const auto& [known, kind] : kFolders) {
    if (lower == known) return kind;
  }
  return FolderKind::kOther;
}

std::string_view Stem(std::string_view file_name) {
  return file_name.substr(0, file_name.rfind('.'));
}

bool IsPicture(std::string_view file_name) {
  const size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos || file_name.front() == '.') return false;
  const std::string extension = Lower(file_name.substr(dot + 1));
  return std::find(std::begin(kExtensions), std::end(kExtensions), extension) !=
         std::end(kExtensions);
}

std::string Printable(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const size_t length = SequenceLength(name);
    const unsigned char first = static_cast<unsigned char>(name.front());
    if (length == 0 || (length == 1 && (first < 0x20 || first == 0x7F))) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += {'\\', 'x', kDigits[first >> 4], kDigits[first & 15]};
      name.remove_prefix(1);
    } else {
      out += name.substr(0, length);
      name.remove_prefix(length);
    }
  }
  return out;
}

std::string Count(size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string Listed(const std::vector<std::string>& names, size_t most) {
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) {
    out += (i == 0 ? "" : ", ") + Printable(names[i]);
  }
  if (names.size() > most) out += " and " + std::to_string(names.size() - most) + " more";
  return out;
}

}  // namespace flowtrain::data
