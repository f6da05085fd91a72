// The samples of a chain that are read and not yet bound, the oldest first. A binary heap of small keys
// over units that stay where they are: no allocation once it has grown. Part of the gate, under its lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace flowtrain::graph {

template <class Unit>
class ReadySamples {
 public:
  bool empty() const { return order_.empty(); }
  size_t size() const { return order_.size(); }
  const Unit& oldest() const { return units_[order_.front().place]; }

  void Push(Unit unit) {
    const uint64_t count = unit.address.count;
    size_t place = units_.size();
    Grow(order_, order_.size() + 1);
    Grow(free_, place + 1);  // so that PopOldest, which a worker calls, allocates nothing
    if (free_.empty()) {
      units_.push_back(std::move(unit));
    } else {
      place = free_.back();
      free_.pop_back();
      units_[place] = std::move(unit);
    }
    order_.push_back({count, place});
    std::push_heap(order_.begin(), order_.end(), Younger);
  }

  Unit PopOldest() {
    std::pop_heap(order_.begin(), order_.end(), Younger);
    const size_t place = order_.back().place;
    order_.pop_back();
    free_.push_back(place);
    return std::move(units_[place]);
  }

 private:
  struct Key {
    uint64_t count;
    size_t place;  // in units_
  };
  template <class T>
  static void Grow(std::vector<T>& vector, size_t size) {
    if (vector.capacity() < size) vector.reserve(2 * size);
  }
  static bool Younger(const Key& a, const Key& b) { return a.count > b.count; }

  std::vector<Key> order_;
  std::vector<Unit> units_;
  std::vector<size_t> free_;  // places
};

}  // namespace flowtrain::graph
