// What every segmentation loss asks of its inputs. Private to this folder.
#pragma once

#include <ATen/ATen.h>

#include <sstream>
#include <stdexcept>

namespace flowtrain::model {

// Throws std::invalid_argument unless both are [B, 1, H, W] of one size on one device.
inline void CheckLogitsAndMasks(const char* loss, const at::Tensor& logits, const at::Tensor& masks) {
  if (logits.dim() == 4 && logits.size(1) == 1 && logits.numel() > 0 &&
      logits.sizes() == masks.sizes() && logits.device() == masks.device()) {
    return;
  }
  std::ostringstream message;
  message << loss << ": logits " << logits.sizes() << " on " << logits.device() << " and masks "
          << masks.sizes() << " on " << masks.device()
          << "; both must be [B, 1, H, W], not empty, of one size, on one device";
  throw std::invalid_argument(message.str());
}

}  // namespace flowtrain::model
