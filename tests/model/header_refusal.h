// Why a safetensors header is refused; "accepted" where it isn't. For tests; plain functions.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

#include "model/io/safetensors_header.h"

namespace flowtrain::model::test {

template <typename Call>
std::string RefusalOf(Call&& call) {
  try {
    call();
  } catch (const std::runtime_error& refusal) {
    return refusal.what();
  }
  return "accepted";
}

inline std::string Refusal(const std::string& json, uint64_t data_bytes) {
  return RefusalOf([&] { ParseSafetensorsHeader(json, data_bytes); });
}

// Of a header with one tensor "w".
inline std::string RefusalOfEntry(const std::string& entry, uint64_t data_bytes = 8) {
  return Refusal("{\"w\":" + entry + "}", data_bytes);
}

}  // namespace flowtrain::model::test
