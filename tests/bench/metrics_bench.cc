// How many images the segmentation metrics score in a second, of CPU time and of wall time:
// metrics_bench [seconds a row]. Masks are an ellipse; a clean prediction is the mask with soft
// borders, a noisy one errs on every pixel.
#include <oneapi/tbb/global_control.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
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

struct Rate {
  double per_cpu_second;
  double per_second;
};

Rate Measure(const Images& images, const std::vector<uint8_t>& prediction, double seconds) {
  const std::vector<ImagePair> pairs(
      64, {{prediction, images.height, images.width}, {images.mask, images.height, images.width}});
  using Clock = std::chrono::steady_clock;
  ScoreImages(std::span(pairs).first(8));
  const auto start = Clock::now();
  const std::clock_t cpu_start = std::clock();
  double scored = 0;
  double elapsed = 0;
  do {
    scored += static_cast<double>(ScoreImages(pairs).images());
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed < seconds);
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  return {scored / cpu, scored / elapsed};
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  for (const auto& [height, width] : {std::pair{352, 352}, std::pair{768, 1024}}) {
    const Images images = Make(static_cast<size_t>(height), static_cast<size_t>(width));
    for (const size_t threads : {1, 2}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      const Rate clean = Measure(images, images.clean, seconds);
      const Rate noisy = Measure(images, images.noisy, seconds);
      std::printf(
          "%d x %d, %zu threads: clean %.0f images per CPU second (%.0f per second), "
          "noisy %.0f (%.0f)\n",
          width, height, threads, clean.per_cpu_second, clean.per_second, noisy.per_cpu_second,
          noisy.per_second);
    }
  }
  return 0;
}
