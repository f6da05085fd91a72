#include "model/metrics/nearest_foreground.h"

#include <algorithm>
#include <limits>

namespace flowtrain::model::metrics {
namespace {

constexpr int32_t kNoneAbove = -100000;  // farther than any row: sides are below 32,768
constexpr int32_t kNoneBelow = 100000;

// The first column from which the site at w beats that at u < w: the smallest x with
// (x - w)^2 + b < (x - u)^2 + a. The half keeps the quotient off integers, farther than it rounds.
int32_t FirstColumnWon(int32_t u, int32_t a, int32_t w, int32_t b, int32_t width) {
  const double numerator = static_cast<double>(w * w + b) - static_cast<double>(u * u + a) + 0.5;
  if (numerator < 0) return 0;
  const double x = numerator / (2.0 * (w - u));
  return x >= width ? width : static_cast<int32_t>(x) + 1;
}

}  // namespace

void NearestForeground::Build(const ByteMap& mask) {
  const auto height = static_cast<int32_t>(mask.height);
  width_ = static_cast<int32_t>(mask.width);
  const size_t width = mask.width;
  nearest_rows_.resize(mask.pixels.size());

  // Downwards the nearest row above, then upwards the nearer of that and the one below.
  for (int32_t y = 0; y < height; ++y) {
    const uint8_t* foreground = mask.pixels.data() + y * width;
    int32_t* row = nearest_rows_.data() + y * width;
    for (size_t x = 0; x < width; ++x) {
      const int32_t above = y == 0 ? kNoneAbove : row[x - width];
      row[x] = foreground[x] > 128 ? y : above;
    }
  }
  std::vector<int32_t> below(width, kNoneBelow);
  for (int32_t y = height - 1; y >= 0; --y) {
    const uint8_t* foreground = mask.pixels.data() + y * width;
    int32_t* row = nearest_rows_.data() + y * width;
    for (size_t x = 0; x < width; ++x) {
      below[x] = foreground[x] > 128 ? y : below[x];
      row[x] = below[x] - y < y - row[x] ? below[x] : row[x];
    }
  }
  occupied_.clear();
  for (int32_t x = 0; x < width_; ++x) {
    if (below[x] != kNoneBelow) occupied_.push_back(x);
  }
}

void NearestForeground::FindSites(int32_t y) {
  const int32_t* rows = nearest_rows_.data() + static_cast<size_t>(y) * width_;
  sites_.clear();
  for (const int32_t column : occupied_) {
    const int32_t height = rows[column] - y;
    Site site{0, column, rows[column], height * height};
    // A site that another one beats before it has won a column never wins.
    while (!sites_.empty()) {
      const Site& last = sites_.back();
      site.start = FirstColumnWon(last.column, last.squared_height, column, site.squared_height, width_);
      if (site.start > last.start) break;
      sites_.pop_back();
    }
    if (sites_.empty()) site.start = 0;
    if (site.start < width_) sites_.push_back(site);
  }
}

void NearestForeground::Row(size_t y, std::span<int32_t> squared_distances,
                            std::span<int32_t> rows, std::span<int32_t> columns) {
  FindSites(static_cast<int32_t>(y));
  for (size_t k = 0; k < sites_.size(); ++k) {
    const Site site = sites_[k];
    const int32_t end = k + 1 < sites_.size() ? sites_[k + 1].start : width_;
    for (int32_t x = site.start; x < end; ++x) {
      squared_distances[x] = (x - site.column) * (x - site.column) + site.squared_height;
      rows[x] = site.row;
      columns[x] = site.column;
    }
  }
}

}  // namespace flowtrain::model::metrics
