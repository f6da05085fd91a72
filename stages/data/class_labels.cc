#include "stages/data/class_labels.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

std::string LabelText(const ManifestRow& row) {
  return "the label \"" + Printable(row.target) + "\"";
}

// In any decimal form, of any size.
bool IsNumber(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != text.npos) return false;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error != std::errc::invalid_argument && stop == end && text[0] != '-';
}

std::string OutOf(uint64_t classes) { return " is not in 0.." + std::to_string(classes - 1); }

ClassLabels Named(const std::vector<ManifestRow>& rows, const std::vector<std::string>& names,
                  LineFaults& faults) {
  std::map<std::string_view, int64_t> labels;
  for (const std::string& name : names) labels.emplace(name, static_cast<int64_t>(labels.size()));
  if (names.empty()) {
    for (const ManifestRow& row : rows) labels.emplace(row.target, 0);
    int64_t next = 0;
    for (auto& [name, label] : labels) label = next++;
  }
  ClassLabels result{{}, labels.size(), true};
  for (const ManifestRow& row : rows) {
    const auto found = labels.find(row.target);
    if (found == labels.end())
      faults.Add(row.line, LabelText(row) + " is not among the class names");
    result.values.push_back(found == labels.end() ? 0 : found->second);
  }
  return result;
}

}  // namespace

bool ParseInteger(std::string_view text, int64_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

ClassLabels LabelsOf(const std::vector<ManifestRow>& rows, const std::vector<std::string>& names,
                     uint64_t classes, LineFaults& faults) {
  int64_t value = 0;
  const bool numbers = names.empty() && std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
                         return ParseInteger(row.target, value);
                       });
  if (!numbers) {
    // Programs that write 0.0 for 0 mean the number: sorted as a name, it would be another class.
    for (const ManifestRow& row : rows) {
      if (!names.empty() || !IsNumber(Trimmed(row.target))) continue;
      faults.Add(row.line,
                 LabelText(row) + " is a number but no whole number without sign and blanks");
    }
    ClassLabels result = Named(rows, names, faults);
    for (size_t i = 0; classes > 0 && i < rows.size(); ++i) {
      if (static_cast<uint64_t>(result.values[i]) < classes) continue;
      faults.Add(rows[i].line, LabelText(rows[i]) + ", class " + std::to_string(result.values[i]) +
                                   "," + OutOf(classes));
    }
    return result;
  }
  ClassLabels result{{}, classes, false};
  for (const ManifestRow& row : rows) {
    const bool integer = ParseInteger(row.target, value);
    const bool inside =
        integer && value >= 0 && (classes == 0 || static_cast<uint64_t>(value) < classes);
    if (!integer) {
      faults.Add(row.line, LabelText(row) + " is no integer, as others are");
    } else if (!inside) {
      faults.Add(row.line, LabelText(row) + (classes == 0 ? " is negative" : OutOf(classes)));
    }
    result.values.push_back(inside ? value : 0);
    if (classes == 0)
      result.classes = std::max(result.classes, static_cast<uint64_t>(result.values.back()) + 1);
  }
  return result;
}

}  // namespace flowtrain::data
