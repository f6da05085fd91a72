#include "stages/train/torch/bench/inference.h"

#include <torch/torch.h>

#include <cstdio>

#include "model/camoxpert.h"
#include "model/layers/autocast_scope.h"
#include "stages/train/torch/bench/parts.h"
#include "stages/train/torch/bench/timing.h"

namespace flowtrain::train::bench {

void MeasureInference(const BenchOptions& given, const Device& device, std::ostream& out) {
  const torch::NoGradGuard no_grad;
  BenchOptions options = given;
  const auto network = model::MakeCamoXpert(NetworkOptions(options));
  network->to(device.torch);
  network->eval();
  out << "inference, " << device.name() << ", " << device.precision_name() << ", " << options.size << " px, "
      << options.backbone << "\nbatch  latency ms (median)  images/s\n";
  for (const int64_t batch : {1, 2, 4, 8, 16, 32}) {
    options.batch = batch;
    const at::Tensor images = RandomImages(options, device);
    const auto once = [&] {
      const model::Bf16Scope autocast(device.torch.type(), device.precision == model::Precision::kBf16);
      network->Forward(images);
    };
    MeasureByTurns(device.torch, 3, {once});
    const double ms = MeasureByTurns(device.torch, options.rounds, {once})[0].median();
    char line[100];
    std::snprintf(line, sizeof line, "%5lld  %19.2f  %8.1f\n", static_cast<long long>(batch), ms, 1e3 * static_cast<double>(batch) / ms);
    out << line << std::flush;
  }
}

}  // namespace flowtrain::train::bench
