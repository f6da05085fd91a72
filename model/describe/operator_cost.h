// What an operator multiplies and adds, from its name and arguments as LibTorch's recorder shows
// them. Pure functions.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace flowtrain::model {

// The multiply-adds of a convolution, a matrix product or an attention kernel: one for each product
// that goes into a sum, padding counted, biases not (as Python's fvcore and thop count). Nothing
// for any other operator: element-wise ones, norms, pools and resizing multiply little. name: with
// its namespace, "aten::mm".
std::optional<int64_t> MultiplyAdds(std::string_view name, c10::ArrayRef<c10::IValue> arguments);

}  // namespace flowtrain::model
