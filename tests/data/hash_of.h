// What tests know a picture or a file of a built-in set by.
#pragma once

#include <flowtrain/rng.h>

#include <cstdint>
#include <span>

namespace flowtrain::data_test {

inline uint64_t Hash(std::span<const uint8_t> bytes) {
  return Rng::HashStream({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace flowtrain::data_test
