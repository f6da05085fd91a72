// What the labels in a list mean: numbers, or names of classes that get numbers. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/line_faults.h"
#include "stages/data/manifest.h"

namespace flowtrain::data {

// The whole text as a decimal integer; false where it is none or doesn't fit.
bool ParseInteger(std::string_view text, int64_t& value);

// Digits alone, or behind a minus, of whatever size: the way to write a label that is a number.
bool IsWhole(std::string_view text);

// Without the blanks and line ends around it.
std::string_view Trimmed(std::string_view text);

constexpr uint64_t kMostClasses = 1ull << 31;

// What is wrong with a label that is to be a number, with the label: it has to be of digits alone,
// and below `classes` (0: kMostClasses). Empty where nothing is: then `value` is set.
std::string LabelFault(std::string_view label, uint64_t classes, int64_t& value);

struct ClassLabels {
  std::vector<int64_t> values;  // one a row; of a row with a fault, 0
  uint64_t classes = 0;         // how many there are: values are below
  bool named = false;
};

// `names`: the classes in the order of their labels; empty: where no label is a whole number, all
// that stand in the list, sorted bytewise; numbers in another form, such as 1.0, and names with
// blanks around them are faults then. `classes`: how many there may be; 0: as many as there are.
ClassLabels LabelsOf(const std::vector<ManifestRow>& rows, const std::vector<std::string>& names,
                     uint64_t classes, LineFaults& faults);

}  // namespace flowtrain::data
