#include "stages/data/drawn_list.h"

#include <flowtrain/rng.h>

#include <cstdio>

#include "stages/data/delimited_text.h"
#include "stages/data/write_whole.h"

namespace flowtrain::data {
namespace {

std::string FileName(const std::string& name, uint64_t hash) {
  std::string clean;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    clean += plain ? c : '_';
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return clean + "-" + digits;
}

}  // namespace

std::filesystem::path WriteDrawn(const std::filesystem::path& cache, const std::string& name,
                                 const std::vector<std::string>& classes,
                                 const std::vector<DrawnFile>& files) {
  std::string lines = "image\tlabel\tclass\n", names;
  for (const DrawnFile& file : files) {
    lines += DelimitedField(file.path.native(), '\t') + "\t" + std::to_string(file.label) + "\t" +
             DelimitedField(classes[file.label], '\t') + "\n";
  }
  for (const std::string& one : classes) names += one + "\n";
  // Another draw has another name, so that the file which a run's log names stays what it was.
  const std::string stem = FileName(name, Rng::HashStream(lines));
  const std::filesystem::path folder = cache / "subsets", list = folder / (stem + ".tsv");
  WriteWhole(folder / (stem + ".classes.txt"), names);
  WriteWhole(list, lines);
  return list;
}

}  // namespace flowtrain::data
