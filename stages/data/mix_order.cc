#include "stages/data/mix_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace flowtrain::data {
namespace {

constexpr uint64_t kMostSamples = 1ull << 31;  // the products below fit in 64 bits

double Sum(const std::vector<MixOrder::Source>& sources) {
  double sum = 0;
  for (const MixOrder::Source& source : sources) sum += source.weight;
  return sum;
}

// Largest remainder (Hamilton): whole quotas first, what is left to the largest fractions.
std::vector<uint64_t> Shared(const std::vector<MixOrder::Source>& sources, uint64_t total) {
  const double sum = Sum(sources);
  std::vector<uint64_t> counts;
  std::vector<double> fractions;
  uint64_t given = 0;
  for (const MixOrder::Source& source : sources) {
    const double quota = static_cast<double>(total) * source.weight / sum;
    counts.push_back(static_cast<uint64_t>(quota));
    fractions.push_back(source.weight > 0 ? quota - std::floor(quota) : -1);
    given += counts.back();
  }
  for (; given < total; ++given) {
    const auto largest = std::max_element(fractions.begin(), fractions.end());
    ++counts[static_cast<size_t>(largest - fractions.begin())];
    *largest -= 1;
  }
  return counts;
}

// All of the source that is exhausted first, and of the others what their weights ask beside it.
std::vector<uint64_t> OnceThrough(const std::vector<MixOrder::Source>& sources) {
  const MixOrder::Source* first = nullptr;
  const auto epochs = [](const MixOrder::Source& s) { return static_cast<double>(s.size) / s.weight; };
  for (const MixOrder::Source& source : sources) {
    if (source.weight > 0 && (first == nullptr || epochs(source) < epochs(*first))) first = &source;
  }
  std::vector<uint64_t> counts;
  for (const MixOrder::Source& source : sources) {
    const double count = static_cast<double>(first->size) * source.weight / first->weight;
    counts.push_back(std::min(source.size, static_cast<uint64_t>(std::llround(count))));
  }
  return counts;
}

// Near the golden section of the size, and without a common divisor: its multiples come by every index
// before one returns, and any run of them lies evenly.
uint64_t Stride(uint64_t size) {
  auto stride = static_cast<uint64_t>(static_cast<double>(size) * 0.6180339887498949);
  while (std::gcd(++stride, size) != 1) {
  }
  return stride % size;
}

}  // namespace

MixOrder::MixOrder(const std::vector<Source>& sources, uint64_t epoch_samples) {
  if (!(Sum(sources) > 0)) throw Refused("weights", "at least one weight has to be above 0");
  counts_ = epoch_samples > 0 ? Shared(sources, epoch_samples) : OnceThrough(sources);
  uint64_t total = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    total += counts_[i];
    if (sources[i].weight > 0 && counts_[i] == 0) {
      throw Refused(epoch_samples > 0 ? "epoch_samples" : "weights/" + sources[i].name,
                    "an epoch would have no sample of \"" + sources[i].name +
                        "\"; give it more weight, or an epoch more samples (epoch_samples)");
    }
    if (sources[i].size > kMostSamples) {
      throw Refused("weights/" + sources[i].name, "a source of more than 2^31 samples is not supported");
    }
    sizes_.push_back(sources[i].size);
    strides_.push_back(Stride(sources[i].size));
  }
  if (total > kMostSamples) throw Refused("epoch_samples", "an epoch has at most 2^31 samples");
  size_ = total;
}

// Number k of n draws is due at (2k + 1) / 2n of the epoch; of two that are due at once the earlier
// source's comes first. So before it stand, of another source's m draws, those with
// (2j + 1) n < (2k + 1) m, or <= where that source is an earlier one.
uint64_t MixOrder::IndexOf(const Draw& draw) const {
  uint64_t before = draw.number;
  const uint64_t n = counts_[draw.source];
  for (size_t other = 0; other < counts_.size(); ++other) {
    const uint64_t due = (2 * draw.number + 1) * counts_[other];
    if (other == draw.source || due == 0) continue;
    before += ((other < draw.source ? due : due - 1) / n + 1) / 2;
  }
  return before;
}

MixOrder::Draw MixOrder::DrawAt(uint64_t index) const {
  if (index >= size_) throw std::out_of_range("a mix of " + std::to_string(size_) + " samples has no index " + std::to_string(index));
  for (size_t source = 0; source < counts_.size(); ++source) {
    // The draws of a source stand in order.
    uint64_t low = 0, high = counts_[source];
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      const uint64_t at = IndexOf({source, middle});
      if (at == index) return {source, middle};
      if (at < index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
  }
  throw std::logic_error("no draw stands at an index of a mix");  // every index is one draw's
}

MixOrder::Place MixOrder::At(uint64_t index, uint64_t epoch) const {
  const Draw draw = DrawAt(index);
  const uint64_t number = epoch * counts_[draw.source] + draw.number, size = sizes_[draw.source];
  return {draw.source, number % size * strides_[draw.source] % size, number / size};
}

}  // namespace flowtrain::data
