// What the decoders of all formats share: the policy, where pixels go, and how faults are told. One
// sample, one thread.
#pragma once

#include <flowtrain/image.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stages/image/orientation.h"
#include "stages/image/window.h"

namespace flowtrain::image {

struct DecodePolicy {
  uint64_t max_pixels = 0;          // width x height, checked before anything is allocated
  bool tolerate_truncated = false;  // fill what is missing instead of refusing
  bool scale = true;                // a smaller DCT scale where it covers what is wanted
};

// The encoded picture and the name it has in messages.
struct EncodedPicture {
  std::span<const uint8_t> bytes;
  const std::string& path;
};

// What is wanted of a picture, as stored (before any turn).
struct Wanted {
  Region region;
  int width = 0, height = 0;  // of the region in the output; 0: every pixel
};

// Gives memory for `height` x `width` pixels of the channels that the caller wants.
using PixelMemory = std::function<Image(int height, int width)>;

// Gives memory for so many bytes.
using ByteMemory = std::function<std::span<uint8_t>(size_t bytes)>;

// The reasons of BadSample, which are labels of a metric.
namespace reason {
inline constexpr char kEmpty[] = "empty file";
inline constexpr char kUnsupported[] = "unsupported format";
inline constexpr char kTooLarge[] = "too large";
inline constexpr char kTruncated[] = "truncated";
inline constexpr char kCorrupt[] = "corrupt";
inline constexpr char kTooManyScans[] = "too many scans";
}  // namespace reason

// No side of a picture, of whatever format, is longer: libjpeg's own bound. It bounds the tables of
// the resampler, some 40 bytes a column.
inline constexpr uint64_t kMostSide = 65'500;

// Throws BadSample where a picture has more pixels than the policy allows, or a side is too long.
void CheckPixels(const EncodedPicture& picture, uint64_t width, uint64_t height,
                 const DecodePolicy& policy);

// Of a truncated file that is filled up, this share of the wanted rows must be there: what is
// nearly all fill teaches nothing.
inline constexpr double kLeastRows = 0.25;

// Of a picture only the first `rows` rows are there, or can be. Throws BadSample where `wanted`
// takes more: all of its rows, or kLeastRows of them where the policy tolerates a truncated file.
void CheckRows(const EncodedPicture& picture, const DecodePolicy& policy, double rows,
               const Window& wanted);

}  // namespace flowtrain::image
