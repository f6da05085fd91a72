// The norm's kernels' text compiles for the GPUs that LibTorch 2.11 for CUDA 13 begins with. Needs libnvrtc
// and no GPU.
#include <doctest/doctest.h>

#include <string>

#include "stages/train/cuda/jit/nvrtc.h"
#include "stages/train/cuda/jit/vector.h"
#include "stages/train/cuda/norm/source.h"

namespace flowtrain::train::norm {
namespace {

TEST_CASE("the norm's kernels compile for compute capabilities 7.5, 8.0 and 9.0") {
  std::string why;
  const Nvrtc* nvrtc = Nvrtc::Find(&why);
  if (nvrtc == nullptr) {
    MESSAGE("skipped: no libnvrtc: " << why);
    return;
  }
  for (const int capability : {75, 80, 90})
    for (const NumberType type : {NumberType::kFloat, NumberType::kHalf, NumberType::kBf16})
      for (const int columns : {5, 80, 146, 584, 1024}) {
        CAPTURE(columns);
        const int vector = VectorFor(columns, type == NumberType::kFloat ? 4 : 2, 0);
        const auto code = nvrtc->Compile(kSource, CompileOptions(type, columns, vector), capability);
        CHECK(code.substr(0, 4) == "\177ELF");
        for (const char* name : {"NormForward", "NormBackward", "NormSum"})
          CHECK(code.find(name) != std::string::npos);
      }
}

}  // namespace
}  // namespace flowtrain::train::norm
