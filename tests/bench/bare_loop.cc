#include "bench/bare_loop.h"

#include <atomic>
#include <barrier>
#include <cstring>
#include <thread>

namespace flowtrain::bench {
namespace {

constexpr int kRows = 128;  // written round and round, as the slots of a run are

// The least a transform needs around it.
class Bare final : public Context, public ImageAllocator {
 public:
  explicit Bare(const Stages& stages) : stages_(stages), kept_(stages.transforms.size()) {}

  void Run(Sample& sample, std::vector<uint8_t>& row) {
    row_ = &row;
    position_ = sample.id.position;
    sample.set_allocator(this);
    for (stage_ = 0; stage_ < stages_.transforms.size(); ++stage_) {
      rng_ = RngOf(stage_);
      stages_.transforms[stage_]->Process(sample, *this);
    }
  }

  Rng& rng() override { return rng_; }
  std::span<uint8_t> Scratch(size_t bytes, int which) override {
    auto& blocks = kept_[stage_];
    if (blocks.size() < static_cast<size_t>(which) + 2) blocks.resize(which + 2);
    return Grown(blocks[which + 1], bytes);
  }
  View Plan(const ImageInfo& info) override {
    View view;
    for (size_t next = stage_ + 1; next < stages_.transforms.size(); ++next) {
      Rng rng = RngOf(next);
      if (!stages_.transforms[next]->Plan(info, rng, view)) break;
    }
    return view;
  }
  void Warn(const std::string&) override {}
  Image Allocate(std::string_view, int height, int width, int channels) override {
    Image image;
    image.height = height;
    image.width = width;
    image.channels = channels;
    image.stride = image.row_bytes();
    const bool last = stage_ + 1 == stages_.transforms.size();
    if (kept_[stage_].empty()) kept_[stage_].resize(1);
    image.data = Grown(last ? *row_ : kept_[stage_][0], image.bytes()).data();
    return image;
  }

 private:
  static std::span<uint8_t> Grown(std::vector<uint8_t>& block, size_t bytes) {
    if (block.size() < bytes) block.resize(bytes);
    return {block.data(), bytes};
  }
  Rng RngOf(size_t stage) const { return {42, stages_.streams[stage], 0, position_}; }

  const Stages& stages_;
  std::vector<std::vector<std::vector<uint8_t>>> kept_;  // by stage: its image, then its scratch
  std::vector<uint8_t>* row_ = nullptr;
  size_t stage_ = 0;
  uint64_t position_ = 0;
  Rng rng_{0, 0, 0, 0};
};

}  // namespace

Cost RunBare(const Stages& stages, const std::vector<File>& files, int threads, uint64_t samples) {
  std::vector<std::vector<uint8_t>> rows(kRows);
  std::atomic<uint64_t> next{0};
  std::barrier begin(threads + 1), end(threads + 1);
  std::vector<std::jthread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      Bare bare(stages);
      const auto run_up_to = [&](uint64_t stop) {
        for (uint64_t i = next++; i < stop; i = next++) {
          const File& file = files[i % files.size()];
          Sample sample;
          sample.id.position = i;
          Buffer buffer = Buffer::Allocate(file.size());
          std::memcpy(buffer.data.get(), file.data(), file.size());
          sample.set_encoded("image", std::move(buffer));
          bare.Run(sample, rows[i % kRows]);
        }
      };
      run_up_to(kRows);
      begin.arrive_and_wait();  // every row is there, every thread's scratch has grown
      begin.arrive_and_wait();
      run_up_to(samples);
      end.arrive_and_wait();
    });
  }
  begin.arrive_and_wait();
  next = 0;
  const Cost before = Now();
  begin.arrive_and_wait();
  end.arrive_and_wait();
  Cost cost = Now() - before;
  cost.samples = samples;
  return cost;
}

}  // namespace flowtrain::bench
