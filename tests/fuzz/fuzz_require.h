// What must hold of an input that was accepted. For fuzz targets.
#pragma once

#include <cstdio>
#include <cstdlib>

// libFuzzer keeps the input of a process that aborts.
#define FUZZ_REQUIRE(condition)                                                           \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
