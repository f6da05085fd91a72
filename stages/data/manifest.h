// A list of samples as text: CSV or TSV with a header, or JSON lines. Takes any bytes; looks at no
// file. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/line_faults.h"

namespace flowtrain::data {

enum class ManifestFormat : uint8_t { kCsv, kTsv, kJsonLines };

// By the file's extension, in any case: .tsv, .jsonl, .ndjson, .json; else kCsv.
ManifestFormat FormatOfFile(std::string_view file_name);

// What the columns, or keys, are called.
struct ManifestColumns {
  std::string image, target;
};

struct ManifestRow {
  uint64_t line = 0;          // from 1
  std::string image, target;  // neither is empty nor holds a zero byte
};

struct Manifest {
  std::vector<ManifestRow> rows;
  LineFaults faults;  // of the lines that are no rows
};

Manifest ParseManifest(std::string_view text, ManifestFormat format,
                       const ManifestColumns& columns);

}  // namespace flowtrain::data
