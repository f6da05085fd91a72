// CPU time of decode + augment on one thread, without a graph:
//   bench_decode FOLDER [repeats]   FOLDER/Image/*.jpg with FOLDER/GT_Object/*.png -> 352 x 352, a
//   flip.
#include <flowtrain/stage.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "image/made_files.h"
#include <flowtrain/testing/made_stage.h>

namespace {

using namespace flowtrain;

// The engine's part, as lean as it gets: memory is kept from sample to sample.
class Memory final : public ImageAllocator {
 public:
  Image Allocate(std::string_view name, int height, int width, int channels) override {
    Image image{.height = height, .width = width, .channels = channels};
    image.stride = image.row_bytes();
    std::vector<uint8_t>& block = blocks_[(name == "mask" ? 2 : 0) + stage];
    if (block.size() < image.bytes()) block.resize(image.bytes());
    image.data = block.data();
    return image;
  }
  int stage = 0;

 private:
  std::vector<uint8_t> blocks_[4];
};

class Worker final : public Context {
 public:
  Worker(const Transform* later, uint64_t position) : later_(later), rng_(42, 1, 0, position) {}
  Rng& rng() override { return rng_; }
  std::span<uint8_t> Scratch(size_t bytes, int which) override {
    static std::vector<uint8_t> blocks[8];
    if (blocks[which].size() < bytes) blocks[which].resize(bytes);
    return {blocks[which].data(), bytes};
  }
  View Plan(const ImageInfo& info) override {
    View view;
    Rng rng = rng_;
    later_->Plan(info, rng, view);
    return view;
  }
  void Warn(const std::string&) override {}

 private:
  const Transform* later_;
  Rng rng_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  testing::TestOpenContext open;
  Value flip, params;
  flip.Set("op", "flip");
  params.Set("size", Value::List{352, 352});
  params.Set("ops", Value::List{flip});
  const auto& plugin = testing::ImagePlugin();
  const auto decode = testing::Make<Transform>(plugin.Find("image.decode"), {}, open);
  const auto augment = testing::Make<Transform>(plugin.Find("image.augment"), params, open);

  std::vector<std::filesystem::path> images;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "Image"))
    images.push_back(entry.path());
  std::sort(images.begin(), images.end());
  testing::TestReadContext files;
  Memory memory;
  int samples = 0;
  clock_t start = 0;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    if (repeat == 1) start = std::clock(), samples = 0;  // the first round warms up
    for (const auto& path : images) {
      Sample sample;
      sample.path = path.string();
      sample.set_allocator(&memory);
      sample.set_encoded("image", files.ReadFile(path));
      sample.set_encoded("mask",
                         files.ReadFile(folder / "GT_Object" / (path.stem().string() + ".png")));
      Worker worker(augment.get(), static_cast<uint64_t>(samples++));
      memory.stage = 0;
      decode->Process(sample, worker);
      memory.stage = 1;
      augment->Process(sample, worker);
    }
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%d samples, %.3f CPU s per 1000, %.0f images/s a core\n", samples,
              1000 * seconds / samples, samples / seconds);
}
