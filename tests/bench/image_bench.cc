// What decoding and scaling cost, each way of it beside the others, by turns, on one thread:
//   image_bench [rounds] [FOLDER]   FOLDER: photographs and masks, as $FLOWTRAIN_TEST_DATA has them
// Without a folder made files are measured. Figures are milliseconds of CPU time a picture: the
// median of the rounds.
#include <spng.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "bench/made_jpegs.h"
#include "bench/measure.h"
#include "image/augmenting.h"
#include "stages/image/png_rows.h"
#include "stages/image/resample/resample.h"

namespace flowtrain::bench {
namespace {

using testing::Op;

double ThreadCpuMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Ways to do one thing, each told by its name; `run` does it for picture `i`.
struct Way {
  std::string name;
  std::function<void(size_t i)> run;
};

// Prints what each costs a picture, and beside the first one's.
void Compare(const char* what, const std::vector<Way>& ways, size_t pictures, int rounds) {
  std::vector<std::vector<double>> cost(ways.size());
  for (int round = 0; round <= rounds; ++round) {
    std::vector<double> sums(ways.size(), 0.0);
    for (size_t i = 0; i < pictures; ++i) {
      for (size_t k = 0; k < ways.size(); ++k) {
        const size_t way = (k + i) % ways.size();
        const double before = ThreadCpuMs();
        ways[way].run(i);
        sums[way] += ThreadCpuMs() - before;
      }
    }
    if (round == 0) continue;  // warms up
    for (size_t k = 0; k < ways.size(); ++k)
      cost[k].push_back(sums[k] / static_cast<double>(pictures));
  }
  std::printf("%s, %zu pictures\n", what, pictures);
  for (size_t k = 0; k < ways.size(); ++k) {
    std::vector<double> ratios;
    for (size_t i = 0; i < cost[k].size(); ++i) ratios.push_back(cost[k][i] / cost[0][i]);
    const Median ratio = MedianOf(ratios);
    std::printf("  %-44s %.3f ms   %.3f [%.3f, %.3f]\n", ways[k].name.c_str(),
                MedianOf(cost[k]).median, ratio.median, ratio.low, ratio.high);
  }
}

// decode -> augment with memory that is kept from picture to picture.
class Stages final : public Context, public ImageAllocator {
 public:
  Stages(bool plans, const Value& decode, const Value& augment) : plans_(plans) {
    const auto& plugin = testing::ImagePlugin();
    stages_[0] = testing::Make<Transform>(plugin.Find("image.decode"), decode, open_);
    stages_[1] = testing::Make<Transform>(plugin.Find("image.augment"), augment, open_);
  }
  void Run(const File& file, uint64_t position) {
    Sample sample;
    sample.id.position = position;
    sample.set_allocator(this);
    Buffer buffer = Buffer::Allocate(file.size());
    std::copy(file.begin(), file.end(), buffer.data.get());
    sample.set_encoded("image", std::move(buffer));
    for (stage_ = 0; stage_ < 2; ++stage_) {
      rng_ = Rng(42, 7, 0, position);
      stages_[stage_]->Process(sample, *this);
    }
  }
  Rng& rng() override { return rng_; }
  std::span<uint8_t> Scratch(size_t bytes, int which) override {
    return Kept(std::to_string(stage_) + "#" + std::to_string(which), bytes);
  }
  View Plan(const ImageInfo& info) override {
    View view;
    Rng rng = rng_;
    if (plans_) stages_[1]->Plan(info, rng, view);
    return view;
  }
  void Warn(const std::string&) override {}
  Image Allocate(std::string_view name, int height, int width, int channels) override {
    Image image{.height = height, .width = width, .channels = channels};
    image.stride = image.row_bytes();
    image.data = Kept(std::to_string(stage_) + std::string(name), image.bytes()).data();
    return image;
  }

 private:
  struct Free {
    void operator()(uint8_t* block) const { std::free(block); }
  };
  std::span<uint8_t> Kept(const std::string& key, size_t bytes) {
    auto& [block, size] = kept_[key];
    if (size < bytes) {
      size = (bytes + 63) / 64 * 64;
      block.reset(static_cast<uint8_t*>(std::aligned_alloc(64, size)));
    }
    return {block.get(), bytes};
  }
  const bool plans_;
  testing::TestOpenContext open_;
  std::unique_ptr<Transform> stages_[2];
  std::map<std::string, std::pair<std::unique_ptr<uint8_t, Free>, size_t>> kept_;
  size_t stage_ = 0;
  Rng rng_{0, 0, 0, 0};
};

void CompareDecodes(const char* what, const std::vector<File>& files, int rounds) {
  for (const bool antialias : {false, true}) {
    const Value augment =
        testing::Params(224, 224, {Op("random_resized_crop", {}), Op("flip", {})}, antialias);
    Value off;
    off.Set("scale", false);
    Stages full(false, off, augment), region(true, off, augment), both(true, {}, augment);
    const auto run = [&](Stages& stages) {
      return [&](size_t i) { stages.Run(files[i % files.size()], i); };
    };
    Compare((std::string(what) + ", RandomResizedCrop(224)" + (antialias ? ", antialiased" : ""))
                .c_str(),
            {{"the whole picture", run(full)},
             {"the region", run(region)},
             {"the region, at a smaller DCT scale", run(both)}},
            std::max<size_t>(files.size(), 112), rounds);
  }
}

void CompareScaling(int width, int height, int to_width, int to_height, int rounds) {
  cv::Mat from(height, width, CV_8UC3), to(to_height, to_width, CV_8UC3);
  cv::randu(from, 0, 255);
  const auto view = [](cv::Mat& pixels) {
    Image image{.data = pixels.data, .height = pixels.rows, .width = pixels.cols, .channels = 3};
    image.stride = pixels.step;
    return image;
  };
  std::vector<uint8_t> memory(1 << 21);
  uint8_t* aligned = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
  const auto ours = [&](bool antialias) {
    return [=, &from, &to](size_t) mutable {
      const image::Side x{0, double(width), 0, width}, y{0, double(height), 0, height};
      const image::Resample resample(x, y, {to_height, to_width}, antialias);
      resample.Run(view(from), {aligned, resample.scratch_bytes()}, view(to));
    };
  };
  const auto opencv = [&](int how) {
    return [&, how](size_t) { cv::resize(from, to, to.size(), 0, 0, how); };
  };
  const std::string what = std::to_string(width) + " x " + std::to_string(height) + " to " +
                           std::to_string(to_width) + " x " + std::to_string(to_height);
  Compare(what.c_str(),
          {{"OpenCV, INTER_LINEAR", opencv(cv::INTER_LINEAR)},
           {"OpenCV, INTER_AREA", opencv(cv::INTER_AREA)},
           {"ours", ours(false)},
           {"ours, antialiased", ours(true)}},
          50, rounds);
}

// The rows of 8-bit gray masks, through libspng (zlib) and through libdeflate.
void CompareMasks(const char* what, const std::vector<File>& masks, int rounds) {
  struct Shape {
    spng_ihdr header{};
    size_t bytes = 0;
  };
  std::vector<uint8_t> rows(1 << 24), scratch(1 << 24);
  const auto decoder = [&](const File& file, Shape& shape) {
    spng_ctx* png = spng_ctx_new(0);
    spng_set_png_buffer(png, file.data(), file.size());
    spng_get_ihdr(png, &shape.header);
    spng_decoded_image_size(png, SPNG_FMT_PNG, &shape.bytes);
    return png;
  };
  Compare(what,
          {{"libspng",
            [&](size_t i) {
              Shape shape;
              spng_ctx* png = decoder(masks[i], shape);
              spng_decode_image(png, rows.data(), shape.bytes, SPNG_FMT_PNG, 0);
              spng_ctx_free(png);
            }},
           {"libdeflate",
            [&](size_t i) {
              Shape shape;
              spng_ctx_free(decoder(masks[i], shape));
              const size_t height = shape.header.height, row_bytes = shape.bytes / height;
              const auto data = image::FindPngData(masks[i], shape.header.color_type == 3);
              if (!data || !image::ReadPngRows(masks[i], *data, scratch, row_bytes, height,
                                               rows.data(), row_bytes)) {
                std::fprintf(stderr, "mask %zu: not read\n", i);
                std::exit(1);
              }
            }}},
          masks.size(), rounds);
}

std::vector<File> FilesOf(const std::filesystem::path& folder,
                          std::initializer_list<const char*> endings, size_t most) {
  std::vector<File> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none)) {
    const std::string ending = entry.path().extension().string();
    if (files.size() == most || std::find(endings.begin(), endings.end(), ending) == endings.end())
      continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return files;
}

std::vector<File> MadeMasks() {
  std::vector<File> masks;
  for (int number = 0; number < 8; ++number) {
    testing::Raster mask(480, 854, 1);
    for (int y = 0; y < mask.height; ++y) {
      for (int x = 0; x < mask.width; ++x) {
        const double v = (y - 240) / 120.0, u = (x - 300.0 - 40 * number) / 150;
        mask.at(y, x) = u * u + v * v < 1 ? 255 : 0;
      }
    }
    masks.push_back(testing::MakePng(mask));
  }
  return masks;
}

int Main(int argc, char** argv) {
  cv::setNumThreads(1);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  CompareDecodes("made JPEGs", MadeJpegs(16), rounds);
  CompareScaling(500, 375, 224, 224, rounds);
  CompareScaling(854, 480, 352, 352, rounds);
  CompareScaling(200, 180, 224, 224, rounds);
  CompareMasks("made masks, 854 x 480", MadeMasks(), rounds);
  if (argc < 3) return 0;
  const std::filesystem::path data = argv[2];
  CompareDecodes("photographs", FilesOf(data / "imagenet", {".JPEG"}, 112), rounds);
  CompareMasks("masks of video frames, 854 x 480", FilesOf(data / "davis", {".png"}, 120), rounds);
  return 0;
}

}  // namespace
}  // namespace flowtrain::bench

int main(int argc, char** argv) { return flowtrain::bench::Main(argc, argv); }
