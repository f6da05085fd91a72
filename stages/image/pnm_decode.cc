#include "stages/image/pnm_decode.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <vector>

#include "stages/image/window.h"

namespace flowtrain::image {
namespace {

constexpr int kMostNumber = 99'999'999;  // with one digit more it fits into an int

bool IsSpace(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

void PnmReader::Throw(const char* reason, const char* what) const {
  throw BadSample(reason, picture_.path + ": PPM/PGM: " + what);
}

int PnmReader::Number(size_t& at) const {
  const std::span<const uint8_t> bytes = picture_.bytes;
  int value = 0;
  bool begun = false;
  for (; at < bytes.size(); ++at) {
    const uint8_t c = bytes[at];
    if (c == '#') {
      while (at < bytes.size() && bytes[at] != '\n' && bytes[at] != '\r') ++at;
    } else if (IsSpace(c)) {
      if (!begun) continue;
      ++at;
      return value;
    } else if (c < '0' || c > '9') {
      Throw(reason::kCorrupt, "no number where the header needs one");
    } else {
      if (value > kMostNumber) Throw(reason::kCorrupt, "a number of the header is too large");
      value = 10 * value + (c - '0');
      begun = true;
    }
  }
  Throw(reason::kTruncated, "the header ends early");
}

PnmReader::PnmReader(const EncodedPicture& picture, const DecodePolicy& policy)
    : picture_(picture), policy_(policy), channels_(picture.bytes[1] == '6' ? 3 : 1) {
  size_t at = 2;
  if (at < picture.bytes.size() && !IsSpace(picture.bytes[at]) && picture.bytes[at] != '#')
    Throw(reason::kCorrupt, "no white space behind the magic number");
  width_ = Number(at);
  height_ = Number(at);
  most_ = Number(at);
  if (width_ == 0 || height_ == 0) Throw(reason::kCorrupt, "no pixels");
  if (most_ == 0 || most_ > 65535) Throw(reason::kCorrupt, "white is not in 1 .. 65535");
  CheckPixels(picture, static_cast<uint64_t>(width_), static_cast<uint64_t>(height_), policy);
  samples_ = picture.bytes.subspan(at);
  sample_bytes_ = most_ > 255 ? 2 : 1;
  const size_t needed = static_cast<size_t>(width_) * height_ * channels_ * sample_bytes_;
  filled_ = samples_.size() < needed;
  if (filled_ && !policy.tolerate_truncated) Throw(reason::kTruncated, "the file ends early");
}

int PnmReader::Sample(size_t pixel, int channel) const {
  const size_t at = (pixel * channels_ + channel) * sample_bytes_;
  if (at + sample_bytes_ > samples_.size()) return 0;
  const int value = sample_bytes_ == 1 ? samples_[at] : samples_[at] << 8 | samples_[at + 1];
  return std::min(value, most_);
}

void PnmReader::CheckSamples(const Window& wanted) const {
  const double row_bytes = static_cast<double>(width_) * channels_ * sample_bytes_;
  CheckRows(picture_, policy_, static_cast<double>(samples_.size()) / row_bytes, wanted);
}

Image PnmReader::ReadRgb(const Wanted& wanted, const PixelMemory& memory) const {
  const Window window = WindowOf(wanted.region, width_, height_);
  CheckSamples(window);
  Image image = memory(window.height, window.width);
  // A division a sample would be most of the work.
  std::vector<uint8_t> levels(static_cast<size_t>(most_) + 1);
  for (int value = 0; value <= most_; ++value)
    levels[value] = static_cast<uint8_t>((value * 255 + most_ / 2) / most_);
  const int green = channels_ == 3 ? 1 : 0, blue = channels_ == 3 ? 2 : 0;
  for (int y = 0; y < window.height; ++y) {
    uint8_t* out = image.row(y);
    const size_t first = static_cast<size_t>(window.y + y) * width_ + window.x;
    for (int x = 0; x < window.width; ++x, out += 3) {
      out[0] = levels[Sample(first + x, 0)];
      out[1] = levels[Sample(first + x, green)];
      out[2] = levels[Sample(first + x, blue)];
    }
  }
  image.covers = RegionOf(window, width_, height_);
  return image;
}

Image PnmReader::ReadLevels(const PixelMemory& memory, int& levels) const {
  CheckSamples({0, 0, width_, height_});
  const Image image = memory(height_, width_);
  const size_t pixels = static_cast<size_t>(width_) * height_;
  int highest = 0;
  for (size_t i = 0; sample_bytes_ == 2 && i < pixels; ++i)
    highest = std::max(highest, Sample(i, 0));
  const int shift = highest > 255 ? 8 : 0;
  for (int y = 0; y < height_; ++y) {
    uint8_t* out = image.row(y);
    for (int x = 0; x < width_; ++x)
      out[x] = static_cast<uint8_t>(Sample(static_cast<size_t>(y) * width_ + x, 0) >> shift);
  }
  levels = std::min(255, most_ >> shift);
  return image;
}

}  // namespace flowtrain::image
