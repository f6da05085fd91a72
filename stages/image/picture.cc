#include "stages/image/picture.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <cmath>

namespace flowtrain::image {

void CheckPixels(const EncodedPicture& picture, uint64_t width, uint64_t height,
                 const DecodePolicy& policy) {
  const bool long_side = std::max(width, height) > kMostSide;
  if (!long_side && width * height <= policy.max_pixels) return;
  throw BadSample(reason::kTooLarge,
                  picture.path + ": " + std::to_string(width) + " x " + std::to_string(height) +
                      " pixels; " +
                      (long_side ? "a side has at most " + std::to_string(kMostSide)
                                 : "max_pixels allows " + std::to_string(policy.max_pixels)));
}

void CheckRows(const EncodedPicture& picture, const DecodePolicy& policy, double rows,
               const Window& wanted) {
  const double share = policy.tolerate_truncated ? kLeastRows : 1;
  if (rows >= wanted.y + share * wanted.height) return;
  const int there = std::max(0, static_cast<int>(std::floor(rows)) - wanted.y);
  throw BadSample(reason::kTruncated,
                  picture.path + ": the file ends early: at most " + std::to_string(there) +
                      " of the " + std::to_string(wanted.height) +
                      " rows that are wanted are there" +
                      (policy.tolerate_truncated ? ", less than a quarter" : ""));
}

}  // namespace flowtrain::image
