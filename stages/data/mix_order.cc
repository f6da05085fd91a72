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
  draws_.reserve(total);
  std::vector<uint64_t> taken(sources.size(), 0);
  for (uint64_t index = 0; index < total; ++index) {
    // The draw that is due first: number k of n is due at (2k + 1) / 2n of the epoch.
    size_t next = sources.size();
    for (size_t i = 0; i < sources.size(); ++i) {
      if (taken[i] == counts_[i]) continue;
      if (next == sources.size() ||
          (2 * taken[i] + 1) * counts_[next] < (2 * taken[next] + 1) * counts_[i]) {
        next = i;
      }
    }
    draws_.push_back({static_cast<uint32_t>(next), static_cast<uint32_t>(taken[next]++)});
  }
}

MixOrder::Place MixOrder::At(uint64_t index, uint64_t epoch) const {
  const Draw draw = draws_.at(index);
  const uint64_t number = epoch * counts_[draw.source] + draw.number, size = sizes_[draw.source];
  return {draw.source, number % size * strides_[draw.source] % size, number / size};
}

}  // namespace flowtrain::data
