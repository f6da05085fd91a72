#include "stages/image/resample/resample.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace flowtrain::image {
namespace {

constexpr size_t kAlignment = 64;
constexpr int kChannels = 3;

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

Side FromItsBegin(const Side& side) {
  return {side.start - side.begin, side.length, 0, side.end - side.begin};
}

}  // namespace

Resample::Resample(const Side& x, const Side& y, const Output& output, bool antialias,
                   const RowLoops& loops)
    : loops_(loops),
      x_(x),
      y_(y),
      rows_first_(y.length >= output.height),
      across_(TriangleTaps(FromItsBegin(x), output.width, antialias, output.mirror_x)),
      down_(TriangleTaps(y, output.height, antialias, output.mirror_y)) {}

size_t Resample::source_line_bytes() const {
  const int pixels = x_.end - x_.begin + across_.width;
  return Aligned(static_cast<size_t>(pixels) * kChannels + kRowSlack);
}

size_t Resample::output_line_bytes() const {
  return Aligned(static_cast<size_t>(across_.outputs()) * kChannels);
}

size_t Resample::scratch_bytes() const {
  const size_t lines = rows_first_ ? 0 : static_cast<size_t>(down_.width) * output_line_bytes();
  return Aligned(PairedBytes(across_)) + source_line_bytes() + lines;
}

void Resample::Run(const Image& from, std::span<uint8_t> scratch, const Image& to) const {
  auto* paired = reinterpret_cast<int16_t*>(scratch.data());
  PairWeights(across_, paired);
  uint8_t* line = scratch.data() + Aligned(PairedBytes(across_));
  std::memset(line, 0, source_line_bytes());
  if (rows_first_) {
    RowsFirst(from, paired, line, to);
  } else {
    ColumnsFirst(from, paired, line, to);
  }
}

void Resample::RowsFirst(const Image& from, const int16_t* paired, uint8_t* line,
                         const Image& to) const {
  const size_t skipped = static_cast<size_t>(x_.begin) * kChannels;
  const size_t bytes = static_cast<size_t>(x_.end - x_.begin) * kChannels;
  std::vector<const uint8_t*> rows(down_.width);
  for (int y = 0; y < to.height; ++y) {
    const int count = down_.counts[y];
    for (int t = 0; t < count; ++t) rows[t] = from.row(down_.first[y] + t) + skipped;
    if (count == 1) {
      std::memcpy(line, rows[0], bytes);
    } else {
      loops_.blend(rows.data(), down_.of(y), count, bytes, line);
    }
    loops_.rgb(line, across_, paired, to.row(y));
  }
}

void Resample::ColumnsFirst(const Image& from, const int16_t* paired, uint8_t* line,
                            const Image& to) const {
  const size_t skipped = static_cast<size_t>(x_.begin) * kChannels;
  const size_t bytes = static_cast<size_t>(x_.end - x_.begin) * kChannels;
  uint8_t* lines = line + source_line_bytes();
  // Source row r, taken across, is kept in line r % width until it is overwritten.
  std::vector<int> kept(down_.width, -1);
  std::vector<const uint8_t*> rows(down_.width);
  for (int y = 0; y < to.height; ++y) {
    for (int t = 0; t < down_.counts[y]; ++t) {
      const int row = down_.first[y] + t, place = row % down_.width;
      uint8_t* across = lines + static_cast<size_t>(place) * output_line_bytes();
      if (kept[place] != row) {
        std::memcpy(line, from.row(row) + skipped, bytes);
        loops_.rgb(line, across_, paired, across);
        kept[place] = row;
      }
      rows[t] = across;
    }
    loops_.blend(rows.data(), down_.of(y), down_.counts[y], to.row_bytes(), to.row(y));
  }
}

void TakeNearest(const Image& from, const Side& x, const Side& y, const Resample::Output& output,
                 const Image& to) {
  const std::vector<int> columns = NearestPixels(x, output.width, output.mirror_x);
  const std::vector<int> rows = NearestPixels(y, output.height, output.mirror_y);
  for (int i = 0; i < output.height; ++i) {
    const uint8_t* source = from.row(rows[i]);
    uint8_t* target = to.row(i);
    for (int k = 0; k < output.width; ++k) target[k] = source[columns[k]];
  }
}

}  // namespace flowtrain::image
