#include "stages/data/class_labels.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

std::string LabelText(std::string_view label) { return "the label " + Quoted(label); }

// In any decimal form, of any size.
bool IsNumber(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != text.npos) return false;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error != std::errc::invalid_argument && stop == end && text[0] != '-';
}

std::string OutOf(uint64_t classes) {
  return " is not in 0.." + std::to_string((classes == 0 ? kMostClasses : classes) - 1);
}

// Why a label can't be the name of a class that nobody listed; empty where it can.
std::string NameFault(std::string_view label) {
  const std::string_view trimmed = Trimmed(label);
  if (trimmed.empty()) return " is blank";
  // Programs that write 0.0 for 0 mean the number: sorted as a name, it would be another class.
  if (IsNumber(trimmed)) return " is a number but no whole number without sign and blanks";
  return trimmed.size() < label.size() ? " begins or ends with a blank" : "";
}

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
      faults.Add(row.line, LabelText(row.target) + " is not among the class names");
    result.values.push_back(found == labels.end() ? 0 : found->second);
  }
  return result;
}

}  // namespace

bool IsWhole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool ParseInteger(std::string_view text, int64_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::string LabelFault(std::string_view label, uint64_t classes, int64_t& value) {
  if (!IsWhole(label)) {
    const std::string fault = NameFault(label);
    return LabelText(label) + (fault.empty() ? " is no whole number" : fault);
  }
  const bool fits = ParseInteger(label, value);
  if (fits ? value < 0 : label.starts_with('-')) return LabelText(label) + " is negative";
  const uint64_t most = classes == 0 ? kMostClasses : classes;
  return fits && static_cast<uint64_t>(value) < most ? "" : LabelText(label) + OutOf(classes);
}

ClassLabels LabelsOf(const std::vector<ManifestRow>& rows, const std::vector<std::string>& names,
                     uint64_t classes, LineFaults& faults) {
  const bool numbers =
      names.empty() && std::any_of(rows.begin(), rows.end(),
                                   [](const ManifestRow& row) { return IsWhole(row.target); });
  if (!numbers) {
    std::vector<bool> sound(rows.size(), true);
    for (size_t i = 0; names.empty() && i < rows.size(); ++i) {
      const std::string fault = NameFault(rows[i].target);
      sound[i] = fault.empty();
      if (!sound[i]) faults.Add(rows[i].line, LabelText(rows[i].target) + fault);
    }
    ClassLabels result = Named(rows, names, faults);
    for (size_t i = 0; classes > 0 && i < rows.size(); ++i) {
      if (!sound[i] || static_cast<uint64_t>(result.values[i]) < classes) continue;
      faults.Add(rows[i].line, LabelText(rows[i].target) + ", class " +
                                   std::to_string(result.values[i]) + "," + OutOf(classes));
    }
    return result;
  }
  ClassLabels result{{}, classes, false};
  for (const ManifestRow& row : rows) {
    int64_t value = 0;
    const std::string fault = LabelFault(row.target, classes, value);
    const bool name = !IsWhole(row.target) && NameFault(row.target).empty();
    if (!fault.empty()) faults.Add(row.line, name ? fault + ", as others are" : fault);
    result.values.push_back(fault.empty() ? value : 0);
    if (classes == 0)
      result.classes = std::max(result.classes, static_cast<uint64_t>(result.values.back()) + 1);
  }
  return result;
}

}  // namespace flowtrain::data
