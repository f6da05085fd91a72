#include "pipeline/cli/text_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

namespace flowtrain::cli {
namespace {

// Characters, not bytes, of UTF-8.
size_t Length(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::vector<std::string> Wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && Length(lines.back()) + 1 + Length(word) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string Paragraph(const std::string& head, size_t indent, const std::string& text,
                      size_t width) {
  std::string out = head;
  size_t column = Length(head);
  if (column + 1 > indent && column > 0) {
    out += '\n';
    column = 0;
  }
  for (const std::string& line : Wrapped(text, width - std::min(indent, width - 1))) {
    out += std::string(indent - column, ' ') + line + '\n';
    column = 0;
  }
  if (column > 0) out += '\n';
  return out;
}

std::string BytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return std::to_string(bytes) + " " + kUnits[unit];
}

size_t OutputWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<size_t>(size.ws_col, 80, 100);
}

}  // namespace flowtrain::cli
