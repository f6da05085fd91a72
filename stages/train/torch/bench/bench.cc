// `flowtrain bench model`: what the plugin's LibTorch half does of it.
#include <torch/torch.h>

#include "stages/train/torch/bench/claims.h"
#include "stages/train/torch/bench/inference.h"
#include "stages/train/torch/bench/step.h"
#include "stages/train/torch/without_backtrace.h"
#include "stages/train/torch_half.h"

namespace flowtrain::train::bench {
namespace {

BenchOptions Filled(BenchOptions options, bool gpu) {
  const bool resnet = options.step == "resnet50";
  if (options.batch == 0) options.batch = !gpu ? 2 : resnet ? 64 : 32;
  if (options.size == 0) options.size = !gpu ? 96 : resnet ? 224 : 352;
  if (options.rounds == 0) options.rounds = gpu ? 50 : 7;
  return options;
}

void Run(const BenchOptions& given, std::ostream& out) {
  const Device device = OpenDevice(given.device, given.precision);
  const BenchOptions options = Filled(given, device.cuda());
  if (!options.step.empty()) return MeasureSteps(options, device, out);
  if (options.infer) return MeasureInference(options, device, out);
  MeasureClaims(options, device, out);
}

}  // namespace
}  // namespace flowtrain::train::bench

extern "C" FLOWTRAIN_API void flowtrain_train_bench(const flowtrain::train::BenchOptions* options,
                                                    std::ostream* out) {
  flowtrain::train::WithoutBacktrace([&] { flowtrain::train::bench::Run(*options, *out); });
}
