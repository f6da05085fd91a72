#include "model/loss/cross_entropy.h"

#include <sstream>
#include <stdexcept>

#include "model/layers/precision.h"

namespace flowtrain::model {
namespace {

void Check(const at::Tensor& logits, const at::Tensor& targets, double label_smoothing) {
  const bool hard = targets.dim() == 1 && targets.scalar_type() == at::kLong;
  const bool soft = targets.dim() == 2 && targets.is_floating_point();
  const bool fits = logits.dim() == 2 && logits.numel() > 0 &&
                    ((hard && targets.size(0) == logits.size(0)) ||
                     (soft && targets.sizes() == logits.sizes())) &&
                    logits.device() == targets.device();
  if (!fits) {
    std::ostringstream message;
    message << "cross entropy: logits " << logits.sizes() << " on " << logits.device()
            << " and targets " << targets.sizes() << " of " << targets.scalar_type() << " on "
            << targets.device()
            << "; allowed: logits [B, K], not empty, with targets [B] of Long or [B, K] of a "
               "floating-point type, on one device";
    throw std::invalid_argument(message.str());
  }
  if (!(label_smoothing >= 0 && label_smoothing <= 1)) {
    throw std::invalid_argument("cross entropy: label smoothing " +
                                std::to_string(label_smoothing) + " is not in [0, 1]");
  }
}

}  // namespace

at::Tensor CrossEntropy(const at::Tensor& raw_logits, const at::Tensor& targets,
                        double label_smoothing) {
  Check(raw_logits, targets, label_smoothing);
  const AutocastOff float32;
  const at::Tensor logits = AtLeastFloat(raw_logits);
  const bool soft = targets.dim() == 2;
  return at::cross_entropy_loss(logits, soft ? targets.to(logits.scalar_type()) : targets, {},
                                at::Reduction::Mean, /*ignore_index=*/-100, label_smoothing);
}

}  // namespace flowtrain::model
