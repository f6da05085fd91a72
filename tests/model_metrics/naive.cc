#include "tests/model_metrics/naive.h"

#include <algorithm>
#include <cmath>

namespace flowtrain::model::metrics {
namespace {

constexpr double kEps = 2.220446049250313e-16;

struct Pixels {
  std::vector<double> p;
  std::vector<double> g;  // 0 or 1
};

// Those of rows [top, bottom) and columns [left, right).
Pixels Part(const Image& prediction, const Image& mask, size_t top, size_t bottom, size_t left,
            size_t right) {
  const auto [low, high] = std::minmax_element(prediction.pixels.begin(), prediction.pixels.end());
  const double min = *low / 255.0;
  const double range = *high / 255.0 - min;
  Pixels out;
  for (size_t y = top; y < bottom; ++y) {
    for (size_t x = left; x < right; ++x) {
      const double p = prediction.at(y, x) / 255.0;
      out.p.push_back(range > 0 ? (p - min) / range : p);
      out.g.push_back(mask.at(y, x) > 128 ? 1 : 0);
    }
  }
  return out;
}

Pixels All(const Image& prediction, const Image& mask) {
  return Part(prediction, mask, 0, mask.height, 0, mask.width);
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double Covariance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - Mean(a)) * (b[i] - Mean(b));
  return sum;
}

double ObjectPart(const std::vector<double>& x) {
  const double m = Mean(x);
  const double sigma =
      x.size() > 1 ? std::sqrt(Covariance(x, x) / static_cast<double>(x.size() - 1)) : 0;
  return 2 * m / (m * m + 1 + sigma + kEps);
}

bool Constant(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [&](double v) { return v == x[0]; });
}

double Quadrant(const Pixels& q) {
  if (q.p.empty()) return 0;
  if (Constant(q.p) && Constant(q.g)) return 1;
  const double n = static_cast<double>(q.p.size()) - 1 + kEps;
  const double mx = Mean(q.p), my = Mean(q.g);
  const double a = 4 * mx * my * Covariance(q.p, q.g) / n;
  const double b = (mx * mx + my * my) * (Covariance(q.p, q.p) + Covariance(q.g, q.g)) / n;
  return a == 0 ? 0 : a / (b + kEps);
}

}  // namespace

double NaiveMae(const Image& prediction, const Image& mask) {
  const Pixels all = All(prediction, mask);
  double sum = 0;
  for (size_t i = 0; i < all.p.size(); ++i) sum += std::abs(all.p[i] - all.g[i]);
  return sum / static_cast<double>(all.p.size());
}

double NaiveS(const Image& prediction, const Image& mask) {
  const Pixels all = All(prediction, mask);
  const double y = Mean(all.g);
  if (y == 0) return 1 - Mean(all.p);
  if (y == 1) return Mean(all.p);
  std::vector<double> fg, bg, rows, columns;
  for (size_t i = 0; i < all.p.size(); ++i) {
    if (all.g[i] == 0) bg.push_back(1 - all.p[i]);
    if (all.g[i] == 0) continue;
    fg.push_back(all.p[i]);
    rows.push_back(static_cast<double>(i / mask.width));
    columns.push_back(static_cast<double>(i % mask.width));
  }
  const double object = y * ObjectPart(fg) + (1 - y) * ObjectPart(bg);
  const size_t h = mask.height, w = mask.width;
  const size_t cy = static_cast<size_t>(std::nearbyint(Mean(rows))) + 1;
  const size_t cx = static_cast<size_t>(std::nearbyint(Mean(columns))) + 1;
  double region = 0;
  for (const auto& [top, bottom] : {std::pair{size_t{0}, cy}, {cy, h}}) {
    for (const auto& [left, right] : {std::pair{size_t{0}, cx}, {cx, w}}) {
      const Pixels part = Part(prediction, mask, top, bottom, left, right);
      region += Quadrant(part) * static_cast<double>(part.p.size()) / static_cast<double>(h * w);
    }
  }
  return std::max(0.0, .5 * object + .5 * region);
}

Nearest NaiveNearest(const Image& mask, size_t y, size_t x) {
  Nearest best;
  for (size_t column = 0; column < mask.width; ++column) {
    for (size_t row = 0; row < mask.height; ++row) {
      if (mask.at(row, column) <= 128) continue;
      const auto dy = static_cast<int64_t>(row) - static_cast<int64_t>(y);
      const auto dx = static_cast<int64_t>(column) - static_cast<int64_t>(x);
      const int64_t d = dy * dy + dx * dx;
      if (best.squared_distance < 0 || d < best.squared_distance) best = {d, row, column};
    }
  }
  return best;
}

double NaiveWeightedF(const Image& prediction, const Image& mask) {
  const Pixels all = All(prediction, mask);
  const auto h = static_cast<int>(mask.height), w = static_cast<int>(mask.width);
  if (Mean(all.g) == 0) return 0;
  std::vector<double> distance, error, dependent;
  for (size_t i = 0; i < all.p.size(); ++i) {
    const Nearest near = NaiveNearest(mask, i / mask.width, i % mask.width);
    const size_t at = near.row * mask.width + near.column;
    distance.push_back(std::sqrt(static_cast<double>(near.squared_distance)));
    error.push_back(std::abs(all.p[i] - all.g[i]));
    dependent.push_back(std::abs(all.p[at] - all.g[at]));
  }
  double kernel = 0;
  for (int y = -3; y <= 3; ++y) {
    for (int x = -3; x <= 3; ++x) kernel += std::exp(-(y * y + x * x) / 50.0);
  }
  double foreground = 0, errors_fg = 0, errors_bg = 0;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const auto i = static_cast<size_t>(y * w + x);
      if (all.g[i] == 0) {
        errors_bg += error[i] * (2 - std::exp(std::log(.5) / 5 * distance[i]));
        continue;
      }
      double around = 0;
      for (int v = std::max(y - 3, 0); v <= std::min(y + 3, h - 1); ++v) {
        for (int u = std::max(x - 3, 0); u <= std::min(x + 3, w - 1); ++u) {
          const double weight = std::exp(-((v - y) * (v - y) + (u - x) * (u - x)) / 50.0) / kernel;
          around += dependent[static_cast<size_t>(v * w + u)] * weight;
        }
      }
      foreground += 1;
      errors_fg += std::min(around, error[i]);
    }
  }
  const double r = 1 - errors_fg / foreground;
  const double p = (foreground - errors_fg) / (foreground - errors_fg + errors_bg + kEps);
  return 2 * r * p / (r + p + kEps);
}

Curve NaiveF(const Image& prediction, const Image& mask) {
  const Pixels all = All(prediction, mask);
  Curve curve{};
  for (int t = 255; t >= 0; --t) {
    double hits = 0, predicted = 0, foreground = 0;
    for (size_t i = 0; i < all.p.size(); ++i) {
      const bool on = static_cast<int>(all.p[i] * 255) >= t;
      predicted += on;
      foreground += all.g[i];
      hits += on ? all.g[i] : 0;
    }
    if (hits == 0) continue;
    const double p = hits / predicted, r = hits / foreground;
    curve[static_cast<size_t>(255 - t)] = 1.3 * p * r / (.3 * p + r);
  }
  return curve;
}

Curve NaiveE(const Image& prediction, const Image& mask) {
  const Pixels all = All(prediction, mask);
  const double mean_g = Mean(all.g);
  Curve curve{};
  for (int t = 255; t >= 0; --t) {
    std::vector<double> on;
    for (const double p : all.p) on.push_back(static_cast<int>(p * 255) >= t ? 1 : 0);
    const double mean = Mean(on);
    double sum = 0;
    for (size_t i = 0; i < on.size(); ++i) {
      const double a = on[i] - mean, b = all.g[i] - mean_g;
      const double align = 2 * a * b / (a * a + b * b + kEps);
      const double aligned = (align + 1) * (align + 1) / 4;
      sum += mean_g == 0 ? 1 - on[i] : mean_g == 1 ? on[i] : aligned;
    }
    curve[static_cast<size_t>(255 - t)] = sum / (static_cast<double>(on.size()) - 1 + kEps);
  }
  return curve;
}

}  // namespace flowtrain::model::metrics
