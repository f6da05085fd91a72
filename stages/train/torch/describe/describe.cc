// `flowtrain model describe`: what the plugin's LibTorch half does of it.
#include <torch/torch.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "model/network.h"
#include "stages/train/network_refused.h"
#include "stages/train/torch/camoxpert_options.h"
#include "stages/train/torch/describe/json.h"
#include "stages/train/torch/describe/table.h"
#include "stages/train/torch/device.h"
#include "stages/train/torch/make_network.h"
#include "stages/train/torch/without_backtrace.h"
#include "stages/train/torch_half.h"

namespace flowtrain::train {
namespace {

// Of any machine, a graph for a GPU can be described: only "auto" asks what this one has.
bool ComputesInBf16(const DescribeRequest& request) {
  if (request.precision != "auto") return request.precision == "bf16";
  const std::string device = request.params.device == "cpu" ? "cpu" : "auto";
  return OpenDevice(device, "auto").precision == model::Precision::kBf16;
}

model::NetworkDescription Described(const DescribeRequest& request, const model::DescribeOptions& options) {
  const ModelParams& params = request.params.model;
  if (params.network == kCamoXpert) {
    RefuseMisplaced(params);
    return model::DescribeCamoXpert(CamoXpertOptionsOf(params), options);
  }
  const auto network = MakeNetwork(request.provided, params);
  return {model::DescribeNetwork(*network, options), {}};
}

void Describe(const DescribeRequest& request, std::ostream& out) {
  if (std::min(request.height, request.width) < model::kSmallestSide)
    throw NetworkRefused("model", "images of " + std::to_string(request.height) + " x " + std::to_string(request.width) +
                                      " px come in; networks take " + std::to_string(model::kSmallestSide) +
                                      " px and more on each side");
  const bool bf16 = ComputesInBf16(request);
  const model::DescribeOptions options{request.height, request.width, request.batch, bf16,
                                       request.params.channels_last};
  const auto print = request.json ? &PrintJson : &PrintTables;
  try {
    print(Described(request, options), request, bf16 ? "bf16" : "float32", out);
  } catch (const NetworkRefused&) {
    throw;
  } catch (const std::invalid_argument& error) {
    throw NetworkRefused("model", error.what());
  }
}

}  // namespace
}  // namespace flowtrain::train

extern "C" FLOWTRAIN_API void flowtrain_train_describe(
    const flowtrain::train::DescribeRequest* request, std::ostream* out) {
  flowtrain::train::WithoutBacktrace([&] { flowtrain::train::Describe(*request, *out); });
}
