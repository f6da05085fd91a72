// A hostile list: any bytes, as CSV, TSV and JSON lines, give rows that a source may rely on, and
// faults by line; nothing is thrown. Fields that were read can be written and read again.
#include <algorithm>
#include <string>

#include "fuzz/fuzz_require.h"
#include "stages/data/class_labels.h"
#include "stages/data/delimited_text.h"
#include "stages/data/manifest.h"
#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

void CheckRow(const ManifestRow& row, uint64_t lines) {
  FUZZ_REQUIRE(row.line >= 1 && row.line <= lines);
  for (const std::string* value : {&row.image, &row.target}) {
    FUZZ_REQUIRE(!value->empty() && value->find('\0') == value->npos);
  }
}

void Try(std::string_view text, ManifestFormat format) {
  Manifest manifest = ParseManifest(text, format, {"image", "label"});
  const auto lines = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  uint64_t last = 0;
  for (const ManifestRow& row : manifest.rows) {
    CheckRow(row, lines);
    FUZZ_REQUIRE(row.line > last);
    last = row.line;
  }
  FUZZ_REQUIRE(manifest.rows.size() + manifest.faults.count() <= lines + 1);
  const uint64_t faults = manifest.faults.count();
  const ClassLabels labels = LabelsOf(manifest.rows, {}, 1000, manifest.faults);
  FUZZ_REQUIRE(labels.values.size() == manifest.rows.size());
  if (manifest.faults.count() == faults) {
    for (const int64_t label : labels.values) FUZZ_REQUIRE(label >= 0 && label < 1000);
  }
  const std::string said = manifest.faults.Text();
  FUZZ_REQUIRE(said.empty() == (manifest.faults.count() == 0));
  FUZZ_REQUIRE(Printable(said) == said);
}

// Each record that is sound, written and read again, is the same.
void CheckRoundTrip(std::string_view text, char delimiter) {
  DelimitedReader reader(text, delimiter);
  for (DelimitedRecord record; reader.Next(record);) {
    const bool blank = record.fields.size() == 1 && record.fields[0].empty();
    if (!record.fault.empty() || blank) continue;  // a blank line is no record
    std::string line;
    for (size_t i = 0; i < record.fields.size(); ++i) {
      line +=
          (i == 0 ? "" : std::string(1, delimiter)) + DelimitedField(record.fields[i], delimiter);
    }
    DelimitedReader again(line, delimiter);
    DelimitedRecord read;
    FUZZ_REQUIRE(again.Next(read) && read.fault.empty());
    FUZZ_REQUIRE(read.fields == record.fields && !again.Next(read));
  }
}

}  // namespace
}  // namespace flowtrain::data

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowtrain::data;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const ManifestFormat format :
       {ManifestFormat::kCsv, ManifestFormat::kTsv, ManifestFormat::kJsonLines}) {
    Try(text, format);
  }
  CheckRoundTrip(text, ',');
  CheckRoundTrip(text, '\t');
  return 0;
}
