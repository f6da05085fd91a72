#include "model/metrics/top_k.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace flowtrain::model::metrics {
namespace {

[[noreturn]] void Refuse(const std::string& why) { throw std::invalid_argument("top-k: " + why); }

// How many classes precede the label's.
int64_t Rank(std::span<const float> scores, int64_t label) {
  const float own = scores[label];
  int64_t rank = 0;
  for (int64_t c = 0; c < static_cast<int64_t>(scores.size()); ++c) {
    rank += scores[c] > own || (scores[c] == own && c < label);
  }
  return rank;
}

double Share(int64_t hits, int64_t images) {
  if (images == 0) throw std::logic_error("no image was scored");
  return static_cast<double>(hits) / static_cast<double>(images);
}

}  // namespace

void TopK::Add(std::span<const float> scores, std::span<const int64_t> labels, int64_t classes) {
  if (classes < 1 || scores.size() != labels.size() * static_cast<size_t>(classes)) {
    Refuse(std::to_string(scores.size()) + " scores for " + std::to_string(labels.size()) +
           " labels of " + std::to_string(classes) + " classes");
  }
  TopK added;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string image = "image " + std::to_string(i) + " of the batch has ";
    if (labels[i] < 0 || labels[i] >= classes) {
      Refuse(image + "label " + std::to_string(labels[i]) + ", there are " +
             std::to_string(classes) + " classes");
    }
    const auto row = scores.subspan(i * classes, classes);
    for (const float score : row) {
      if (std::isnan(score)) Refuse(image + "a score that is NaN");
    }
    const int64_t rank = Rank(row, labels[i]);
    ++added.images;
    added.top1_hits += rank < 1;
    added.top5_hits += rank < 5;
  }
  Add(added);
}

void TopK::Add(const TopK& other) {
  images += other.images;
  top1_hits += other.top1_hits;
  top5_hits += other.top5_hits;
}

double TopK::Top1() const { return Share(top1_hits, images); }
double TopK::Top5() const { return Share(top5_hits, images); }

}  // namespace flowtrain::model::metrics
