#include "model/describe/larger_images.h"

#include <c10/util/Exception.h>

#include <optional>
#include <stdexcept>
#include <vector>

namespace flowtrain::model {
namespace {

using Run = std::function<PartCounts(int64_t height, int64_t width)>;

// On smaller ones kernels reach over the whole of the last maps, and their outer taps are left out
// (model/layers/conv.h).
constexpr int64_t kSmallest = 128;
// The networks here halve images five times; one of a plugin may do so seven times.
constexpr int64_t kSteps[] = {32, 128};

// One side of the images. Two sides of one step are worked out from three that run each; a side that is
// small enough runs as it is.
struct Side {
  std::vector<int64_t> runs;
  int64_t step = 1;

  Side(int64_t side, int64_t every) : runs{side} {
    const int64_t first = kSmallest + (side - kSmallest) % every;
    if (side < first + 4 * every) return;
    runs = {first, first + every, first + 2 * every};
    step = every;
  }
  bool worked_out() const { return runs.size() > 1; }
  // A further size that runs, to compare. Far enough from the others to show a stride of up to 256 px,
  // of which they may all lie within one.
  int64_t compared() const { return worked_out() ? runs[0] + 4 * step : runs[0]; }

  // What the counts of each of `runs` weigh in those at `side`: Lagrange's polynomials, which are whole
  // numbers here. Unsigned, as all that follows: sums are far larger on the way than in the end, and wrap.
  std::vector<uint64_t> Weights(int64_t side) const {
    if (!worked_out()) return {1};
    const int64_t n = (side - runs[0]) / step;
    return {static_cast<uint64_t>((n - 1) * (n - 2) / 2), static_cast<uint64_t>(-n * (n - 2)),
            static_cast<uint64_t>(n * (n - 1) / 2)};
  }
};

void AddTimes(int64_t& sum, uint64_t weight, int64_t count) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + weight * static_cast<uint64_t>(count));
}

bool Same(const PartCounts& a, const PartCounts& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, count] : a) {
    const auto found = b.find(name);
    if (found == b.end() || found->second.multiply_adds != count.multiply_adds ||
        found->second.held_bytes != count.held_bytes)
      return false;
  }
  return true;
}

// The counts of all pairs of what runs.
class Grid {
 public:
  Grid(Side height, Side width, const Run& run) : height_(std::move(height)), width_(std::move(width)) {
    for (const int64_t h : height_.runs) {
      for (const int64_t w : width_.runs) counts_.push_back(run(h, w));
    }
  }
  PartCounts At(int64_t height, int64_t width) const {
    PartCounts sums;
    auto counts = counts_.begin();
    for (const uint64_t h : height_.Weights(height)) {
      for (const uint64_t w : width_.Weights(width)) {
        for (const auto& [name, count] : *counts) {
          AddTimes(sums[name].multiply_adds, h * w, count.multiply_adds);
          AddTimes(sums[name].held_bytes, h * w, count.held_bytes);
        }
        ++counts;
      }
    }
    return sums;
  }

 private:
  const Side height_, width_;
  std::vector<PartCounts> counts_;
};

std::optional<PartCounts> WorkedOut(int64_t height, int64_t width, int64_t step, const Run& run) {
  const Side down(height, step), across(width, step);
  if (!down.worked_out() && !across.worked_out()) return run(height, width);
  const Grid grid(down, across, run);
  const int64_t h = down.compared(), w = across.compared();
  if (!Same(grid.At(h, w), run(h, w))) return std::nullopt;
  return grid.At(height, width);
}

}  // namespace

PartCounts CountsAt(int64_t height, int64_t width, int64_t most_pixels, const Run& run) {
  if (height * width <= most_pixels) return run(height, width);
  std::string why = "what smaller ones cost does not tell what these do";
  for (const int64_t step : kSteps) {
    try {
      if (const auto counts = WorkedOut(height, width, step, run)) return *counts;
    } catch (const c10::Error& error) {
      why = std::string("on smaller ones it does not run: ") + error.what_without_backtrace();
    }
  }
  throw std::invalid_argument("images of " + std::to_string(height) + " x " + std::to_string(width) +
                              " px, more than " + std::to_string(most_pixels) +
                              " pixels, are too large to run this network on for a description, and " + why);
}

}  // namespace flowtrain::model
