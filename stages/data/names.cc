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

// In lower case.
constexpr std::string_view kStrewn[] = {
    "thumbs.db", "ehthumbs.db", "desktop.ini",  "icon\r",
    "__macosx",  "@eadir",      "$recycle.bin", "system volume information",
    "lost+found"};

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

// Of one sequence: control characters (C0, DEL, C1) and what turns the direction of text.
bool SteersTerminal(std::string_view sequence) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (sequence.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (sequence.size() != 3 || byte(0) != 0xE2) return false;
  const unsigned last = byte(2);
  return (byte(1) == 0x80 && (last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE))) ||
         (byte(1) == 0x81 && last >= 0xA6 && last <= 0xA9);
}

std::string Escaped(char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
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

bool IsStrewn(std::string_view name) {
  return name.starts_with('.') ||
         std::find(std::begin(kStrewn), std::end(kStrewn), Lower(name)) != std::end(kStrewn);
}

bool IsPicture(std::string_view file_name) {
  const size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos || IsStrewn(file_name)) return false;
  const std::string extension = Lower(file_name.substr(dot + 1));
  return std::find(std::begin(kExtensions), std::end(kExtensions), extension) !=
         std::end(kExtensions);
}

std::string Printable(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const size_t length = SequenceLength(name);
    if (length == 0 || SteersTerminal(name.substr(0, length))) {
      for (const char c : name.substr(0, std::max<size_t>(length, 1))) out += Escaped(c);
    } else {
      out += name.substr(0, length);
    }
    name.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string Clipped(std::string_view text, size_t most) {
  if (text.size() <= most) return Printable(text);
  const auto continues = [&](size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  size_t head = most - most / 3, tail = text.size() - most / 3;
  for (int i = 0; i < 3 && continues(head); ++i) --head;  // no UTF-8 sequence is cut
  for (int i = 0; i < 3 && tail < text.size() && continues(tail); ++i) ++tail;
  return Printable(text.substr(0, head)) + "..." + Printable(text.substr(tail));
}

std::string Quoted(std::string_view value) { return "\"" + Clipped(value, 60) + "\""; }

std::string Count(size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string FoldersText(const std::vector<std::string>& folders, size_t most) {
  return (folders.size() == 1 ? "the folder in it is " : "the folders in it are ") +
         Listed(folders, most);
}

std::string Listed(const std::vector<std::string>& names, size_t most) {
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) {
    out += (i == 0 ? "" : ", ") + Clipped(names[i]);
  }
  if (names.size() > most) out += " and " + std::to_string(names.size() - most) + " more";
  return out;
}

}  // namespace flowtrain::data
