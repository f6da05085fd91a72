#include "pipeline/config/read_graph_file.h"

#include "pipeline/config/regular_file.h"

namespace flowtrain::config {

std::string ReadGraphFile(const std::filesystem::path& file, std::string& why) {
  RegularFile opened(file);
  if (!opened.why_not().empty()) {
    why = opened.why_not();
    if (why.starts_with("this is")) why += "; expected a graph file";
    return "";
  }
  if (opened.size() > kMostGraphBytes) {
    why = "this file has " + std::to_string(opened.size()) + " bytes; a graph has at most 64 MiB";
    return "";
  }
  // One that grows while it is read is cut off.
  std::string text = opened.ReadAll(kMostGraphBytes);
  why = opened.why_not();
  if (why.empty() && text.empty()) why = "this file is empty; expected a graph";
  return text;
}

}  // namespace flowtrain::config
