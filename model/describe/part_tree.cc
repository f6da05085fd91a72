#include "model/describe/part_tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace flowtrain::model {
namespace {

// A part by itself with its parameters, and where the first of them stands among all.
struct Flat {
  PartCost cost;
  int64_t parameters = 0, trainable = 0;
  size_t first = std::numeric_limits<size_t>::max();
  bool counted = false;
};
using FlatParts = std::map<std::string, Flat>;

// "stem" holds "stem.0.weight" and "stem_0.weight", and not "stems.weight". "" holds nothing.
bool Holds(const std::string& part, const std::string& key) {
  return !part.empty() && key.starts_with(part) && part.size() < key.size() &&
         std::isalnum(static_cast<unsigned char>(key[part.size()])) == 0;
}

// The innermost part that holds `key`; "" where none does.
std::string InnermostOf(const FlatParts& parts, const std::string& key) {
  std::string innermost;
  for (const auto& [name, part] : parts) {
    if (Holds(name, key) && name.size() > innermost.size()) innermost = name;
  }
  return innermost;
}

FlatParts WithParameters(const torch::nn::Module& network,
                         const std::map<std::string, PartCost>& costs) {
  FlatParts parts;
  for (const auto& [name, cost] : costs) {
    parts[name].cost = cost;
    parts[name].counted = true;
  }
  size_t place = 0;
  for (const auto& parameter : network.named_parameters()) {
    const std::string& key = parameter.key();
    std::string name = InnermostOf(parts, key);
    if (name.empty()) name = key.substr(0, key.find('.'));
    Flat& part = parts[name];
    part.parameters += parameter.value().numel();
    if (parameter.value().requires_grad()) part.trainable += parameter.value().numel();
    part.first = std::min(part.first, place++);
  }
  return parts;
}

DescribedPart Assembled(const FlatParts& parts, const std::string& name, double images) {
  const auto found = parts.find(name);
  const Flat flat = found == parts.end() ? Flat{} : found->second;
  images *= flat.cost.share;
  DescribedPart part{name,
                     flat.cost.kind,
                     flat.parameters,
                     flat.trainable,
                     flat.cost.multiply_adds,
                     std::llround(static_cast<double>(flat.cost.image_bytes) * images),
                     flat.counted,
                     flat.cost.share,
                     {}};
  for (const auto& [inner, unused] : parts) {
    if (inner.empty() || inner == name || InnermostOf(parts, inner) != name) continue;
    part.parts.push_back(Assembled(parts, inner, images));
  }
  for (const DescribedPart& inner : part.parts) {
    part.parameters += inner.parameters;
    part.trainable += inner.trainable;
    part.multiply_adds += std::llround(static_cast<double>(inner.multiply_adds) * inner.share);
    part.held_bytes += inner.held_bytes;
    part.counted = part.counted || inner.counted;
  }
  return part;
}

size_t FirstOf(const FlatParts& parts, const DescribedPart& part) {
  const auto found = parts.find(part.name);
  size_t first = found->second.first;
  for (const DescribedPart& inner : part.parts) first = std::min(first, FirstOf(parts, inner));
  return first;
}

void Sort(const FlatParts& parts, DescribedPart& part) {
  std::stable_sort(part.parts.begin(), part.parts.end(), [&](const auto& a, const auto& b) {
    return FirstOf(parts, a) < FirstOf(parts, b);
  });
  for (DescribedPart& inner : part.parts) Sort(parts, inner);
}

}  // namespace

DescribedPart TreeOf(const torch::nn::Module& network, const std::map<std::string, PartCost>& costs,
                     int64_t batch) {
  const FlatParts parts = WithParameters(network, costs);
  DescribedPart whole = Assembled(parts, "", static_cast<double>(batch));
  Sort(parts, whole);
  return whole;
}

}  // namespace flowtrain::model
