#include "stages/data/manifest.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "stages/data/delimited_text.h"
#include "stages/data/json_line.h"
#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

constexpr size_t kColumnsShown = 10;

void AddRow(ManifestRow row, const ManifestColumns& columns, Manifest& manifest) {
  for (const auto& [name, value] :
       {std::pair(&columns.image, &row.image), std::pair(&columns.target, &row.target)}) {
    const bool zero = value->find('\0') != value->npos;
    if (!value->empty() && !zero) continue;
    manifest.faults.Add(row.line, Quoted(*name) + (zero ? " holds a zero byte" : " is empty"));
    return;
  }
  manifest.rows.push_back(std::move(row));
}

// Where the header has a column; -1, and a fault, where it hasn't just one.
ptrdiff_t ColumnOf(const DelimitedRecord& header, const std::string& name, LineFaults& faults) {
  const auto& fields = header.fields;
  const auto found = std::find(fields.begin(), fields.end(), name);
  const auto count = std::count(fields.begin(), fields.end(), name);
  if (count == 1) return found - fields.begin();
  faults.Add(header.line, count == 0 ? "there is no column " + Quoted(name) + "; the header has " +
                                           Listed(fields, kColumnsShown)
                                     : "the column " + Quoted(name) + " stands twice");
  return -1;
}

Manifest ParseDelimited(std::string_view text, char delimiter, const ManifestColumns& columns) {
  Manifest manifest;
  DelimitedReader reader(text, delimiter);
  DelimitedRecord record;
  if (!reader.Next(record)) {
    manifest.faults.Add(1, "there is no header: the file is empty");
    return manifest;
  }
  if (!record.fault.empty()) {
    manifest.faults.Add(record.line, "the header: " + record.fault);
    return manifest;
  }
  const ptrdiff_t image = ColumnOf(record, columns.image, manifest.faults),
                  target = ColumnOf(record, columns.target, manifest.faults);
  if (image < 0 || target < 0) return manifest;
  const size_t width = record.fields.size();
  while (reader.Next(record)) {
    if (!record.fault.empty()) {
      manifest.faults.Add(record.line, record.fault);
    } else if (record.fields.size() != width) {
      manifest.faults.Add(record.line, Count(record.fields.size(), "field", "fields") +
                                           ", the header has " + std::to_string(width));
    } else {
      AddRow({record.line, std::move(record.fields[static_cast<size_t>(image)]),
              std::move(record.fields[static_cast<size_t>(target)])},
             columns, manifest);
    }
  }
  return manifest;
}

// Throws std::runtime_error.
std::string Member(const std::vector<JsonMember>& members, const std::string& key, bool numbers) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const JsonMember& m) { return m.key == key; });
  if (found == members.end()) throw std::runtime_error("there is no " + Quoted(key));
  if (found->kind == JsonMember::kOther || (found->kind == JsonMember::kNumber && !numbers)) {
    throw std::runtime_error(Quoted(key) +
                             (numbers ? " is neither a string nor a number" : " is no string"));
  }
  return found->text;
}

Manifest ParseJsonLines(std::string_view text, const ManifestColumns& columns) {
  Manifest manifest;
  for (uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    try {
      const std::vector<JsonMember> members = ParseJsonObject(line);
      AddRow({number, Member(members, columns.image, false), Member(members, columns.target, true)},
             columns, manifest);
    } catch (const std::runtime_error& error) {
      manifest.faults.Add(number, error.what());
    }
  }
  return manifest;
}

// What a text is that no reader of lines takes, and what to do; empty where it may be one.
std::string NoLines(std::string_view text) {
  using namespace std::string_view_literals;
  const auto zero = [&](size_t at) { return at < text.size() && text[at] == '\0'; };
  const bool utf32 = text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv);
  const bool utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
                     (zero(0) != zero(1) && zero(2) != zero(3) && zero(0) == zero(2));
  if (utf32 || utf16)
    return std::string("it is ") + (utf32 ? "UTF-32" : "UTF-16") + ": save it as UTF-8";
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == text.npos || text.find('\n') != text.npos ||
      text.substr(0, end).find('\r') == text.npos)
    return "";
  return "its lines end in carriage returns alone: save it with line feeds";
}

}  // namespace

ManifestFormat FormatOfFile(std::string_view file_name) {
  const std::string lower = Lower(file_name);
  if (lower.ends_with(".tsv")) return ManifestFormat::kTsv;
  for (const char* json : {".jsonl", ".ndjson", ".json"}) {
    if (lower.ends_with(json)) return ManifestFormat::kJsonLines;
  }
  return ManifestFormat::kCsv;
}

Manifest ParseManifest(std::string_view text, ManifestFormat format,
                       const ManifestColumns& columns) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (std::string why = NoLines(text); !why.empty()) {
    Manifest manifest;
    manifest.faults.Add(1, std::move(why));
    return manifest;
  }
  if (format == ManifestFormat::kJsonLines) return ParseJsonLines(text, columns);
  return ParseDelimited(text, format == ManifestFormat::kTsv ? '\t' : ',', columns);
}

}  // namespace flowtrain::data
