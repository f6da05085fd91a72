// The four EdgeNeXt sizes. Free of LibTorch, so that their names can be listed without it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flowtrain::model {

struct EdgeNextVariant {
  std::string_view name;
  std::array<int64_t, 4> depths;  // blocks a stage
  std::array<int64_t, 4> dims;    // channels a stage; strides 4, 8, 16, 32
  int64_t heads;                  // of the cross-covariance attention
};

// Maaz et al. 2022, "EdgeNeXt", table 1; names and numbers as in timm.
inline constexpr std::array<EdgeNextVariant, 4> kEdgeNextVariants = {{
    {"edgenext_xx_small", {2, 2, 6, 2}, {24, 48, 88, 168}, 4},
    {"edgenext_x_small", {3, 3, 9, 3}, {32, 64, 100, 192}, 4},
    {"edgenext_small", {3, 3, 9, 3}, {48, 96, 160, 304}, 8},
    {"edgenext_base", {3, 3, 9, 3}, {80, 160, 288, 584}, 8},
}};

}  // namespace flowtrain::model
