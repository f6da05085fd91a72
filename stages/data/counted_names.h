// Names that may be millions: all are counted, the first ones kept. Used in Open.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/names.h"

namespace flowtrain::data {

class CountedNames {
 public:
  void Add(std::string_view name) {
    ++count_;
    if (kept_.size() < kMostKept) kept_.emplace_back(name);
  }
  // `before` stands before each of the names.
  void Add(const CountedNames& more, const std::string& before = "") {
    for (const std::string& name : more.kept_) Add(before + name);
    count_ += more.count_ - more.kept_.size();
  }
  size_t count() const { return count_; }
  const std::vector<std::string>& kept() const { return kept_; }
  // "a.jpg, b.jpg and 17 more", each made printable.
  std::string Text() const {
    const std::string text = Listed(kept_, kMostKept);
    const size_t more = count_ - kept_.size();
    return more == 0 ? text : text + " and " + std::to_string(more) + " more";
  }

 private:
  static constexpr size_t kMostKept = 5;
  std::vector<std::string> kept_;
  size_t count_ = 0;
};

}  // namespace flowtrain::data
