// Text for a terminal: wrapped between two columns. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flowtrain::cli {

// The words of `text` in lines of at most `width` characters; a longer word has a line of its own.
std::vector<std::string> Wrapped(const std::string& text, size_t width);

// `head`, filled up to `indent`, then `text` wrapped at `width` and indented by `indent`. A head
// that is too long has a line of its own. With a line's end.
std::string Paragraph(const std::string& head, size_t indent, const std::string& text,
                      size_t width);

// As one would write it in a graph: "64 MiB", "1000 B".
std::string BytesText(int64_t bytes);

// Columns of standard output: those of the terminal, from 80 to 100; 100 where it is none.
size_t OutputWidth();

}  // namespace flowtrain::cli
