#include "tests/model_metrics/images.h"

#include <algorithm>

#include "model/metrics/image_scores.h"

namespace flowtrain::model::metrics {

Image MakeImage(size_t height, size_t width, const std::function<int(size_t y, size_t x)>& value) {
  Image image{height, width, std::vector<uint8_t>(height * width)};
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) image.at(y, x) = static_cast<uint8_t>(value(y, x));
  }
  return image;
}

std::string Pair::text() const {
  std::string text;
  for (size_t y = 0; y < mask.height; ++y) {
    for (size_t x = 0; x < mask.width; ++x) {
      text += std::to_string(prediction.at(y, x)) + (mask.at(y, x) > 128 ? "* " : " ");
    }
    text += "\n";
  }
  return text;
}

Pair RandomPair(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto height = static_cast<size_t>(1 + below(40));
  const auto width = static_cast<size_t>(1 + below(40));
  const int shape = below(8);
  const auto row = below(static_cast<int>(height));
  const auto column = below(static_cast<int>(width));
  const int radius = 1 + below(15);
  const Image mask = MakeImage(height, width, [&](size_t y, size_t x) {
    const int dy = static_cast<int>(y) - row;
    const int dx = static_cast<int>(x) - column;
    if (shape == 0) return 0;
    if (shape == 1) return 255;
    if (shape == 2) return dy == 0 && dx == 0 ? 255 : 0;
    if (shape == 3) return below(256);
    if (shape == 4) return below(50) == 0 ? 255 : 0;
    return dy * dy + dx * dx < radius * radius ? 255 : 0;
  });
  const int kind = below(6);
  const int level = below(256);
  const Image prediction = MakeImage(height, width, [&](size_t y, size_t x) {
    if (kind == 0) return level;
    if (kind == 1) return level * below(2);
    if (kind == 2) return below(256);
    return std::clamp((mask.at(y, x) > 128 ? 200 : 40) + below(120) - 60, 0, 255);
  });
  return {prediction, mask};
}

DatasetResult Score(const Image& prediction, const Image& mask) {
  ImageScratch scratch;
  DatasetScores scores;
  scores.Add(ScoreImage(prediction.map(), mask.map(), scratch));
  return scores.Result();
}

}  // namespace flowtrain::model::metrics
