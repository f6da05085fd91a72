// What is wrong with the lines of a file: all are counted, the first ones kept. Used in Open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flowtrain::data {

class LineFaults {
 public:
  void Add(uint64_t line, std::string why) {
    ++count_;
    if (kept_.size() < kMostKept) kept_.push_back({line, std::move(why)});
  }
  uint64_t count() const { return count_; }
  // "line 3: no image; line 7: ...; and 12 more", in the order of the lines.
  std::string Text() const;

 private:
  static constexpr size_t kMostKept = 100, kMostShown = 20;
  struct Fault {
    uint64_t line = 0;
    std::string why;
  };
  std::vector<Fault> kept_;
  uint64_t count_ = 0;
};

}  // namespace flowtrain::data
