#include "pipeline/graph/sampler.h"

#include <flowtrain/error.h>
#include <flowtrain/rng.h>

#include <limits>

namespace flowtrain::graph {

Sampler::Sampler(Settings settings) : settings_(std::move(settings)) {
  const uint64_t n = settings_.size, world = settings_.world_size, batch = settings_.batch;
  const uint64_t rank = settings_.rank;
  if (rank >= world) {
    throw Error("sampler rank " + std::to_string(rank) + " is not below world_size " + std::to_string(world));
  }
  if (n > std::numeric_limits<uint32_t>::max()) throw Error("a source of more than 2^32 samples is not supported");
  const bool drop = settings_.last_batch == "drop";
  // Ranks that drop take the same number of steps; else each rank takes what is there.
  share_ = drop ? n / world : (n + world - 1 - rank) / world;
  batches_per_epoch_ = drop ? share_ / batch : (share_ + batch - 1) / batch;
  samples_per_epoch_ = settings_.last_batch == "partial" ? share_ : batches_per_epoch_ * batch;
  if (batches_per_epoch_ == 0) {
    throw Error("an epoch has no batch: " + std::to_string(share_) + " samples, batches of " + std::to_string(batch) +
                " and last_batch \"" + settings_.last_batch + "\"");
  }
}

int Sampler::rows_of(uint64_t batch) const {
  const uint64_t in_epoch = batch % batches_per_epoch_;
  const uint64_t left = samples_per_epoch_ - in_epoch * settings_.batch;
  return static_cast<int>(left < static_cast<uint64_t>(settings_.batch) ? left : settings_.batch);
}

uint64_t Sampler::first_of(uint64_t batch) const {
  return batch / batches_per_epoch_ * samples_per_epoch_ + batch % batches_per_epoch_ * settings_.batch;
}

std::vector<uint32_t> Sampler::DrawOrder(uint64_t epoch) const {
  std::vector<uint32_t> order(settings_.size);
  Permutation(settings_.seed, epoch, order);
  return order;
}

void Sampler::KeepOrder(uint64_t epoch, std::vector<uint32_t> order) {
  Kept& kept = kept_[epoch % 2];
  if (kept.epoch >= epoch) return;  // reads have overtaken who drew it
  kept.epoch = epoch;
  kept.order = std::move(order);
}

std::optional<uint64_t> Sampler::OrderToDraw(uint64_t count) const {
  const uint64_t next = count / samples_per_epoch_ + 1;
  if (!settings_.shuffle || kept_[next % 2].epoch == next) return std::nullopt;
  return next;
}

const std::vector<uint32_t>& Sampler::Order(uint64_t epoch) {
  if (kept_[epoch % 2].epoch != epoch) KeepOrder(epoch, DrawOrder(epoch));
  return kept_[epoch % 2].order;
}

Address Sampler::At(uint64_t count) {
  Address address;
  address.count = count;
  address.epoch = count / samples_per_epoch_;
  const uint64_t in_epoch = count % samples_per_epoch_;
  address.batch = address.epoch * batches_per_epoch_ + in_epoch / settings_.batch;
  address.row = static_cast<int>(in_epoch % settings_.batch);
  address.padding = in_epoch >= share_;
  const uint64_t in_share = in_epoch % share_;
  address.position = in_share * settings_.world_size + settings_.rank;
  address.index = settings_.shuffle ? Order(address.epoch)[address.position] : address.position;
  return address;
}

uint64_t Sampler::Replacement(uint64_t epoch, uint64_t position, uint32_t attempt) const {
  Rng rng(settings_.seed, Rng::HashStream("replacement") + attempt, epoch, position);
  return rng.Below(settings_.size);
}

}  // namespace flowtrain::graph
