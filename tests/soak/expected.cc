#include "soak/expected.h"

#include <flowtrain/rng.h>

#include <algorithm>

namespace flowtrain::soak {

Expected::Expected(const Course& course, int chain) : course_(course), size_(course.size[chain]) {
  const auto batch = static_cast<uint64_t>(course.batch);
  if (course.last_batch == "drop") {
    share_ = size_ / course.world_size;
    batches_ = share_ / batch;
    rows_ = batches_ * batch;
    return;
  }
  for (uint64_t p = course.rank; p < size_; p += course.world_size) ++share_;
  batches_ = (share_ + batch - 1) / batch;
  rows_ = course.last_batch == "pad" ? batches_ * batch : share_;
}

int Expected::Rows(uint64_t batch) const {
  const auto full = static_cast<uint64_t>(course_.batch);
  return static_cast<int>(std::min(full, rows_ - batch % batches_ * full));
}

ExpectedRow Expected::Row(uint64_t batch, int row) {
  const uint64_t epoch = batch / batches_;
  if (course_.shuffle && epoch_ != epoch) {
    order_.resize(size_);
    Permutation(course_.seed, epoch, order_);
    epoch_ = epoch;
  }
  ExpectedRow expected;
  const uint64_t in_epoch = batch % batches_ * static_cast<uint64_t>(course_.batch) + static_cast<uint64_t>(row);
  expected.padding = in_epoch >= share_;
  expected.position = in_epoch % share_ * course_.world_size + course_.rank;
  expected.index = course_.shuffle ? order_[expected.position] : expected.position;
  if (course_.mark) {
    expected.bad = course_.IsBad(expected.index);
    return expected;
  }
  for (uint32_t attempt = 1; course_.IsBad(expected.index); ++attempt) {
    expected.index = Rng(course_.seed, Rng::HashStream("replacement") + attempt, epoch, expected.position).Below(size_);
  }
  return expected;
}

}  // namespace flowtrain::soak
