// A draw of some of many by their names alone: the same on every machine and for any order. Pure
// functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace flowtrain::data {

// Marks `count` of the names (or all): those with the smallest keyed hash, so that a smaller draw
// lies within a larger one. `stream` tells apart the draws of one seed.
std::vector<bool> Drawn(const std::vector<std::string_view>& names, size_t count, uint64_t seed,
                        std::string_view stream);

// How many of `all` a share for validation has: share x all, rounded, at least one of each kind
// where there are two.
size_t ValCount(size_t all, double share);

}  // namespace flowtrain::data
