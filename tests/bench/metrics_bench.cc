// How many images a second the segmentation metrics score: metrics_bench [seconds a row]. Masks are an
// ellipse; a clean prediction is the mask with soft borders, a noisy one errs on every pixel.
#include <oneapi/tbb/global_control.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "model/metrics/score_images.h"

namespace {

using flowtrain::model::metrics::ImagePair;
using flowtrain::model::metrics::ScoreImages;

struct Images {
  size_t height, width;
  std::vector<uint8_t> mask, clean, noisy;
};

Images Make(size_t height, size_t width) {
  Images images{height, width, {}, {}, {}};
  std::mt19937 random(1);
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const double v = (static_cast<double>(y) / static_cast<double>(height) - .55) / .25;
      const double u = (static_cast<double>(x) / static_cast<double>(width) - .45) / .2;
      const double r = std::sqrt(v * v + u * u);
      const double soft = 1 / (1 + std::exp((r - 1.05) * 25));
      images.mask.push_back(r < 1 ? 255 : 0);
      images.clean.push_back(static_cast<uint8_t>(std::lrint(soft * 255)));
      images.noisy.push_back(static_cast<uint8_t>(soft * 180 + random() % 75));
    }
  }
  return images;
}

double ImagesPerSecond(const Images& images, const std::vector<uint8_t>& prediction,
                       double seconds) {
  const std::vector<ImagePair> pairs(64, {{prediction, images.height, images.width},
                                          {images.mask, images.height, images.width}});
  using Clock = std::chrono::steady_clock;
  ScoreImages(std::span(pairs).first(8));
  const auto start = Clock::now();
  size_t scored = 0;
  double elapsed = 0;
  while (elapsed < seconds) {
    scored += static_cast<size_t>(ScoreImages(pairs).images());
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return static_cast<double>(scored) / elapsed;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  for (const auto& [height, width] : {std::pair{352, 352}, std::pair{768, 1024}}) {
    const Images images = Make(static_cast<size_t>(height), static_cast<size_t>(width));
    for (const size_t threads : {1, 2}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      std::printf("%d x %d, threads %zu: clean %.0f images/s, noisy %.0f images/s\n", width, height,
                  threads, ImagesPerSecond(images, images.clean, seconds),
                  ImagesPerSecond(images, images.noisy, seconds));
    }
  }
  return 0;
}
