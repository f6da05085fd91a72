#include "stages/image/png_decode.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <cstring>

#include "stages/image/window.h"

namespace flowtrain::image {
namespace {

// Text and colour profiles are kept (and inflated) by libspng; a few KB in real files.
constexpr size_t kChunkCacheBytes = 64u << 20;

int Channels(int color_type) {
  switch (color_type) {
    case SPNG_COLOR_TYPE_TRUECOLOR:
      return 3;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return 2;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
      return 4;
    default:
      return 1;
  }
}

// How much of a row's pixels one of its rows in this pass has (PNG, 8.2).
double RowShare(int pass) {
  constexpr double kShares[] = {1.0 / 8, 1.0 / 8, 1.0 / 4, 1.0 / 4, 1.0 / 2, 1.0 / 2, 1};
  return kShares[pass];
}

void UnpackBits(const uint8_t* packed, int depth, int width, uint8_t* out) {
  const int mask = (1 << depth) - 1;
  for (int x = 0; x < width; ++x) {
    const int bit = x * depth;
    out[x] = static_cast<uint8_t>(packed[bit >> 3] >> (8 - depth - (bit & 7)) & mask);
  }
}

}  // namespace

PngReader::PngReader(const EncodedPicture& picture, const DecodePolicy& policy)
    : picture_(picture), policy_(policy), spng_(spng_ctx_new(0)) {
  if (!spng_) throw Error(picture_.path + ": no memory for a PNG decoder");
  Check(spng_set_chunk_limits(spng_.get(), kChunkCacheBytes, kChunkCacheBytes));
  Check(spng_set_png_buffer(spng_.get(), picture_.bytes.data(), picture_.bytes.size()));
  Check(spng_get_ihdr(spng_.get(), &header_));
  CheckPixels(picture_, header_.width, header_.height, policy);
  row_bytes_ =
      (static_cast<size_t>(header_.width) * Channels(header_.color_type) * header_.bit_depth + 7) /
      8;
}

bool PngReader::plain() const {
  return header_.bit_depth == 8 && Channels(header_.color_type) == 1;
}

void PngReader::Throw(int code) const {
  const bool ended = code == SPNG_IO_EOF || code == SPNG_EIDAT_TOO_SHORT;
  throw BadSample(ended ? reason::kTruncated : reason::kCorrupt,
                  picture_.path + ": PNG: " + spng_strerror(code));
}

void PngReader::CheckBytes(const Window& wanted) const {
  const double bits = static_cast<double>(Channels(header_.color_type)) * header_.bit_depth;
  const double inflated = static_cast<double>(picture_.bytes.size()) * kDeflateRatio;
  CheckRows(picture_, policy_, inflated / (header_.width * bits / 8), wanted);
}

void PngReader::Decode(int format, uint8_t* data, size_t stride, size_t row_bytes, int rows,
                       const Window& wanted) {
  Check(spng_decode_image(spng_.get(), nullptr, 0, format, SPNG_DECODE_PROGRESSIVE));
  // What may stay unwritten is 0; and libspng 0.7.3 only sets bits where interlaced pixels share a
  // byte.
  if (policy_.tolerate_truncated || interlaced()) {
    for (int y = 0; y < rows; ++y)
      std::memset(data + stride * static_cast<size_t>(y), 0, row_bytes);
  }
  int code = SPNG_OK;
  double pixels = 0;  // that came
  while (code == SPNG_OK) {
    spng_row_info info;
    Check(spng_get_row_info(spng_.get(), &info));
    if (static_cast<int>(info.row_num) >= rows && !interlaced()) return;  // the rest is not wanted
    code = spng_decode_row(spng_.get(), data + stride * info.row_num, row_bytes);
    if (code == SPNG_OK) pixels += header_.width * (interlaced() ? RowShare(info.pass) : 1.0);
  }
  // The last data chunk's checksum is looked at when the chunk after it is read.
  if (code == SPNG_EOI) code = spng_decode_chunks(spng_.get());
  if (code == SPNG_OK) return;
  if (code != SPNG_IO_EOF || !policy_.tolerate_truncated) Throw(code);
  CheckRows(picture_, policy_, pixels / header_.width, wanted);
  filled_ = true;
}

Image PngReader::ReadRgb(const Wanted& wanted, const PixelMemory& memory) {
  const Window window = WindowOf(wanted.region, width(), height());
  // An interlaced picture comes as a whole, finer and finer.
  const Window needed = interlaced() ? Window{0, 0, width(), height()} : window;
  CheckBytes(needed);
  const Image image = memory(needed.y + needed.height, width());
  Decode(SPNG_FMT_RGB8, image.data, image.stride, image.row_bytes(), image.height, needed);
  Image part = Cut(image, window);
  part.covers = RegionOf(window, width(), height());
  return part;
}

void PngReader::DecodePacked(const std::optional<PngData>& data, std::span<uint8_t> scratch,
                             uint8_t* out, size_t stride) {
  // Where that fails libspng says what is at fault, or fills what is missing.
  if (data &&
      ReadPngRows(picture_.bytes, *data, scratch, row_bytes_, header_.height, out, stride)) {
    return;
  }
  Decode(SPNG_FMT_PNG, out, stride, row_bytes_, height(), {0, 0, width(), height()});
}

Image PngReader::ReadLevels(const ByteMemory& scratch, const PixelMemory& memory, int& levels) {
  CheckBytes({0, 0, width(), height()});
  const Image image = memory(height(), width());
  levels = 255;
  std::optional<PngData> data;
  size_t rows_bytes = 0;
  if (Channels(header_.color_type) == 1 && depth() <= 8 && !interlaced()) {
    data = FindPngData(picture_.bytes, palette());
    if (data) rows_bytes = PngRowsScratch(*data, row_bytes_, header_.height);
    if (rows_bytes == 0) data.reset();
  }
  const size_t packed_bytes = plain() ? 0 : row_bytes_ * header_.height;
  const std::span<uint8_t> block = scratch(packed_bytes + rows_bytes);
  const std::span<uint8_t> packed = block.first(packed_bytes), rest = block.subspan(packed_bytes);
  if (plain()) {
    DecodePacked(data, rest, image.data, image.stride);
    return image;
  }
  DecodePacked(data, rest, packed.data(), row_bytes_);
  const int step = Channels(header_.color_type);
  int shift = 0;
  if (depth() == 16) {
    const auto* samples = reinterpret_cast<const uint16_t*>(packed.data());
    const size_t count = static_cast<size_t>(width()) * height() * step;
    uint16_t highest = 0;
    for (size_t i = 0; i < count; i += step) highest = std::max(highest, samples[i]);
    if (highest > 255) shift = 8;
  }
  for (int y = 0; y < height(); ++y) {
    const uint8_t* from = packed.data() + row_bytes_ * static_cast<size_t>(y);
    uint8_t* to = image.row(y);
    if (depth() < 8) {
      UnpackBits(from, depth(), width(), to);
    } else if (depth() == 8) {
      for (int x = 0; x < width(); ++x) to[x] = from[x * step];
    } else {
      const auto* samples = reinterpret_cast<const uint16_t*>(from);
      for (int x = 0; x < width(); ++x) to[x] = static_cast<uint8_t>(samples[x * step] >> shift);
    }
  }
  if (depth() < 8 && !palette()) levels = (1 << depth()) - 1;
  return image;
}

}  // namespace flowtrain::image
