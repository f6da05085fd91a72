// What a transform made of one sample, to be compared byte by byte. A value.
#pragma once

#include <flowtrain/testing/stage_runner.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flowtrain::cli {

struct Outcome {
  enum End : uint8_t { kDone, kBadSample, kThrew, kThrewNoException } end = kDone;
  std::string message;  // of what was thrown

  struct Part {
    std::string name, form;  // form: "image 48 x 64 x 3 of 8 bits", "encoded bytes", "label"
    size_t row_bytes = 0;    // images
    std::string bytes;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  // what stands under each name afterwards
  View planned;             // what it wants of an image before it is decoded
};

// What stops a trial and is no fault of the plugin's: memory or threads ran out under a limit.
struct LimitReached : Error {
  using Error::Error;
};
// Throws LimitReached where that is what `caught` comes from. Without a limit it is the stage that asked
// for too much memory.
void ThrowIfLimit(const std::exception& caught);

// Runs `sample` through `runner`, catching everything but LimitReached. `names`: what to look at
// afterwards.
Outcome RunOnce(testing::StageRunner& runner, Sample& sample,
                const std::vector<std::string>& names);

// The first difference in words; empty: none.
std::string Difference(const Outcome& expected, const Outcome& found);

// "threw: reason" or "BadSample: reason".
std::string EndText(const Outcome& outcome);

}  // namespace flowtrain::cli
