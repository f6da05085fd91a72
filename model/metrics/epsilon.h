// The reference's guard against division by zero: numpy.spacing(1).
#pragma once

#include <limits>

namespace flowtrain::model::metrics {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace flowtrain::model::metrics
