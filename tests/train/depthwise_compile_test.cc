// The depthwise kernels' text compiles for the GPUs that LibTorch 2.11 for CUDA 13 begins with.
// That needs libnvrtc, which comes with LibTorch's wheel, and no GPU.
#include <doctest/doctest.h>
#include <flowtrain/error.h>

#include <string>

#include "stages/train/cuda/jit/nvrtc.h"
#include "stages/train/cuda/depthwise/source.h"

namespace flowtrain::train::depthwise {
namespace {

const Nvrtc* Compiler() {
  std::string why;
  const Nvrtc* found = Nvrtc::Find(&why);
  if (found == nullptr) MESSAGE("skipped: no libnvrtc: " << why);
  return found;
}

// A cubin is an ELF file.
void CompileAll(int capability) {
  const Nvrtc* nvrtc = Compiler();
  if (nvrtc == nullptr) return;
  size_t bytes = 0;
  for (const NumberType type : {NumberType::kFloat, NumberType::kHalf, NumberType::kBf16})
    for (const int side : {3, 5, 7, 9}) {
      const int widest = type == NumberType::kFloat ? 4 : 8;
      for (int vector = widest; vector >= (side == 3 ? 1 : widest); vector /= 2) {
        const auto code = nvrtc->Compile(kSource, CompileOptions(type, side, vector), capability);
        CHECK(code.substr(0, 4) == "\177ELF");
        for (const char* name :
             {"DepthwiseForward", "DepthwiseWeightPartials", "DepthwiseWeightSum"})
          CHECK(code.find(name) != std::string::npos);
        bytes += code.size();
      }
    }
  MESSAGE("sm_" << capability << ": " << bytes / 1024 << " KiB");
}

TEST_CASE("the depthwise kernels compile for compute capability 7.5") { CompileAll(75); }
TEST_CASE("the depthwise kernels compile for compute capability 8.0") { CompileAll(80); }
TEST_CASE("the depthwise kernels compile for compute capability 9.0") { CompileAll(90); }

TEST_CASE("for a GPU newer than libnvrtc the text is left to the driver") {
  const Nvrtc* nvrtc = Compiler();
  if (nvrtc == nullptr) return;
  const auto text = nvrtc->Compile(kSource, CompileOptions(NumberType::kBf16, 3, 8), 999);
  CHECK(text.find(".entry DepthwiseForward") != std::string::npos);
}

TEST_CASE("what libnvrtc can't compile is an error with its words") {
  const Nvrtc* nvrtc = Compiler();
  if (nvrtc == nullptr) return;
  std::string message;
  try {
    nvrtc->Compile("__global__ void f() { undeclared(); }", {}, 90);
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find("undeclared") != std::string::npos);
}

}  // namespace
}  // namespace flowtrain::train::depthwise
