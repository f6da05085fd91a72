#include "model/metrics/nearest_foreground.h"

namespace flowtrain::model::metrics {
namespace {

constexpr int32_t kNoneAbove = -100000;  // farther than any row: sides are below 32,768
constexpr int32_t kNoneBelow = 100000;

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
      row[x] = IsForeground(foreground[x]) ? y : above;
    }
  }
  std::vector<int32_t> below(width, kNoneBelow);
  for (int32_t y = height - 1; y >= 0; --y) {
    const uint8_t* foreground = mask.pixels.data() + y * width;
    int32_t* row = nearest_rows_.data() + y * width;
    for (size_t x = 0; x < width; ++x) {
      below[x] = IsForeground(foreground[x]) ? y : below[x];
      row[x] = below[x] - y < y - row[x] ? below[x] : row[x];
    }
  }
  sites_.resize(width);
  for (size_t i = half_inverses_.size(); i < width; ++i) {
    half_inverses_.push_back(0.5 / static_cast<double>(i));
  }
  occupied_.clear();
  for (int32_t x = 0; x < width_; ++x) {
    if (below[x] != kNoneBelow) occupied_.push_back(x);
  }
}

bool NearestForeground::Beats(const Site& site, const Site& other, int32_t x) {
  return SquaredDistance(site, x) < SquaredDistance(other, x);
}

// The smallest x at which `site`, right of `before`, beats it. The half keeps the quotient off
// integers, by more than it rounds.
int32_t NearestForeground::FirstColumnWon(const Site& before, const Site& site) const {
  const double numerator = static_cast<double>(SquaredDistance(site, 0)) -
                           static_cast<double>(SquaredDistance(before, 0)) + 0.5;
  if (numerator < 0) return 0;
  const double x = numerator * half_inverses_[site.column - before.column];
  return x >= width_ ? width_ : static_cast<int32_t>(x) + 1;
}

void NearestForeground::FindSites(int32_t y) {
  const int32_t* rows = nearest_rows_.data() + static_cast<size_t>(y) * width_;
  Site* const first = sites_.data();
  Site* end = first;
  for (const int32_t column : occupied_) {
    const int32_t height = rows[column] - y;
    Site site{0, column, height * height};
    // A site that another one beats where it begins to win never wins.
    while (end != first && Beats(site, end[-1], end[-1].start)) --end;
    if (end != first) site.start = FirstColumnWon(end[-1], site);
    if (site.start < width_) *end++ = site;
  }
  site_count_ = static_cast<size_t>(end - first);
}

void NearestForeground::Row(size_t y, std::span<int32_t> squared_distances,
                            std::span<int32_t> columns) {
  FindSites(static_cast<int32_t>(y));
  for (size_t k = 0; k < site_count_; ++k) {
    const Site site = sites_[k];
    const int32_t end = k + 1 < site_count_ ? sites_[k + 1].start : width_;
    for (int32_t x = site.start; x < end; ++x) {
      squared_distances[x] = SquaredDistance(site, x);
      columns[x] = site.column;
    }
  }
}

}  // namespace flowtrain::model::metrics
