#include "pipeline/cli/check_samples.h"

#include <flowtrain/rng.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "pipeline/cli/made_png.h"

namespace flowtrain::cli {
namespace {

struct Size {
  int height, width;
};
// Odd ones, one wide enough to keep a thread busy, and the smallest that there is.
constexpr Size kSizes[] = {{48, 64}, {57, 33}, {192, 256}, {96, 128}, {1, 1}, {31, 200}};

std::string Noise(size_t size, uint64_t stream) {
  Rng rng(7, stream, 0, 0);
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    const uint64_t word = rng.NextU64();
    std::memcpy(bytes.data() + i, &word, std::min(sizeof word, size - i));
  }
  return bytes;
}

Buffer BufferOf(const std::string& bytes) {
  Buffer buffer = Buffer::Allocate(bytes.size());
  std::memcpy(buffer.data.get(), bytes.data(), bytes.size());
  return buffer;
}

void AddNoiseImage(Sample& sample, const std::string& name, const Size& size, int channels,
                   uint64_t stream) {
  const Image& image = sample.MakeImage(name, size.height, size.width, channels);
  const std::string noise = Noise(image.row_bytes() * size.height, stream);
  for (int y = 0; y < size.height; ++y)
    std::memcpy(image.row(y), noise.data() + image.row_bytes() * y, image.row_bytes());
}

}  // namespace

SampleMaker::SampleMaker(const StageDeclaration& declaration, EncodedFiles files, Channels channels)
    : files_(std::move(files)), channels_(channels) {
  for (const FlowRule& rule : declaration.flows) {
    const bool known = std::any_of(needs_.begin(), needs_.end(),
                                   [&](const Need& need) { return need.name == rule.name; });
    if (!known) needs_.push_back({rule.name, rule.from, rule.optional});
  }
}

std::vector<std::string> SampleMaker::EncodedNames(const StageDeclaration& declaration) {
  std::vector<std::string> names;
  for (const Need& need : SampleMaker(declaration, {}, Channels::kGray).needs_) {
    if (need.kind == Flow::kEncoded) names.push_back(need.name);
  }
  return names;
}

std::vector<std::string> SampleMaker::names() const {
  std::vector<std::string> names;
  for (const Need& need : needs_) names.push_back(need.name);
  return names;
}

std::string SampleMaker::SizeText(uint64_t index) {
  const Size& size = kSizes[index % std::size(kSizes)];
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

int SampleMaker::ChannelsOf(const std::string& name) const {
  return channels_ == Channels::kGray || name == "mask" ? 1 : 3;
}

std::string SampleMaker::Encoded(const std::string& name, uint64_t index) const {
  const auto given = files_.find(name);
  if (given != files_.end() && !given->second.empty())
    return given->second[index % given->second.size()];
  const Size& size = kSizes[index % std::size(kSizes)];
  const int channels = ChannelsOf(name);
  const size_t bytes = static_cast<size_t>(size.height) * size.width * channels;
  return Png(size.height, size.width, channels, Noise(bytes, index));
}

Sample SampleMaker::Make(uint64_t index, ImageAllocator& images, const std::string& without) const {
  Sample sample;
  sample.id = {.epoch = 0, .position = index, .index = index};
  sample.path = "sample " + std::to_string(index) + " (" + SizeText(index) + ")";
  sample.set_allocator(&images);
  for (const Need& need : needs_) {
    if (need.name == without || (need.optional && index % 3 == 2)) continue;
    if (need.kind == Flow::kEncoded)
      sample.set_encoded(need.name, BufferOf(Encoded(need.name, index)));
    if (need.kind == Flow::kImage)
      AddNoiseImage(sample, need.name, kSizes[index % std::size(kSizes)], ChannelsOf(need.name),
                    index);
    if (need.kind == Flow::kLabel) sample.set_label(need.name, static_cast<int64_t>(index % 10));
  }
  return sample;
}

Sample SampleMaker::Good(uint64_t index, ImageAllocator& images) const {
  return Make(index, images, "");
}

void SampleMaker::AddBrokenEncoded(const std::string& name, std::vector<Broken>& all) const {
  const auto add = [&](const std::string& what, std::string bytes) {
    all.push_back({what + " \"" + name + "\"", true,
                   [this, name, bytes = std::move(bytes)](ImageAllocator& images) {
                     Sample sample = Make(0, images, name);
                     sample.set_encoded(name, BufferOf(bytes));
                     return sample;
                   }});
  };
  const std::string whole = Encoded(name, 0);
  add("an empty", "");
  add("the first byte of an", whole.substr(0, 1));
  add("the first 20 bytes of an", whole.substr(0, 20));
  add("the first half of an", whole.substr(0, whole.size() / 2));
  std::string scrambled = whole;
  const std::string noise = Noise(whole.size(), 99);
  for (size_t i = scrambled.size() / 4; i < scrambled.size(); ++i) scrambled[i] = noise[i];
  add("a scrambled", std::move(scrambled));
  add("noise instead of an", Noise(4096, 98));
  add("4096 zeros instead of an", std::string(4096, '\0'));
}

void SampleMaker::AddBrokenImages(const std::string& name, std::vector<Broken>& all) const {
  const auto add = [&](const std::string& what, Size size, int channels, int depth) {
    all.push_back({"\"" + name + "\" " + what, false,
                   [this, name, size, channels, depth](ImageAllocator& images) {
                     Sample sample = Make(0, images, name);
                     // Of 16 bits: the memory is that of twice the channels.
                     AddNoiseImage(sample, name, size, channels * depth / 8, 97);
                     sample.image(name).channels = channels;
                     sample.image(name).depth = depth;
                     return sample;
                   }});
  };
  const Size size = kSizes[0];
  for (const int channels : {1, 2, 3, 4}) {
    if (channels != ChannelsOf(name))
      add("with " + std::to_string(channels) + " channels", size, channels, 8);
  }
  add("of 16 bits a channel", size, ChannelsOf(name), 16);
  add("of another size than the rest", {size.height + 5, size.width - 7}, ChannelsOf(name), 8);
  add("of one row", {1, 4096}, ChannelsOf(name), 8);
  add("of one column", {4096, 1}, ChannelsOf(name), 8);
}

std::vector<SampleMaker::Broken> SampleMaker::AllBroken() const {
  std::vector<Broken> all;
  for (const Need& need : needs_) {
    const std::string name = need.name;
    all.push_back({"no \"" + name + "\"", false,
                   [this, name](ImageAllocator& images) { return Make(0, images, name); }});
    if (need.kind == Flow::kEncoded) AddBrokenEncoded(name, all);
    if (need.kind == Flow::kImage) AddBrokenImages(name, all);
  }
  all.push_back({"nothing in the sample", false, [](ImageAllocator&) { return Sample(); }});
  return all;
}

}  // namespace flowtrain::cli
