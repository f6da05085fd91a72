// Top-1 and top-5 accuracy of a classifier. One owner adds batches; counts of other threads or
// processes merge exactly.
#pragma once

#include <cstdint>
#include <span>

namespace flowtrain::model::metrics {

struct TopK {
  int64_t images = 0;
  int64_t top1_hits = 0;
  int64_t top5_hits = 0;

  // scores: [images, classes], logits or probabilities; labels: [images], 0..classes - 1. A hit is
  // a label that fewer than k classes precede: those with a higher score, and equal ones of a
  // smaller index, as argmax takes the first. With fewer than five classes top-5 is always a hit.
  // Throws std::invalid_argument, adding nothing, where the sizes don't fit, a label is no class,
  // or a score is NaN.
  void Add(std::span<const float> scores, std::span<const int64_t> labels, int64_t classes);
  void Add(const TopK& other);

  // Shares in 0..1; std::logic_error where no image was added.
  double Top1() const;
  double Top5() const;
};

}  // namespace flowtrain::model::metrics
