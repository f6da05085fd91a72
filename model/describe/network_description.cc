#include "model/describe/network_description.h"

#include <algorithm>

#include "model/camoxpert.h"
#include "model/describe/larger_images.h"
#include "model/describe/measured_forward.h"
#include "model/describe/part_tree.h"
#include "model/edgenext.h"
#include "model/layers/recompute.h"

namespace flowtrain::model {
namespace {

using PartCosts = std::map<std::string, PartCost>;

// How many images run. Not one alone, where the batch has more: of one, what else is a copy is a
// view.
int64_t ImagesRun(const DescribeOptions& options) { return std::min<int64_t>(options.batch, 2); }

// What one of them costs.
PartCost Each(const PartCount& count, const DescribeOptions& options) {
  return {"", count.multiply_adds / ImagesRun(options), count.held_bytes / ImagesRun(options), 1};
}

at::Tensor Noise(at::IntArrayRef shape, const DescribeOptions& options) {
  return at::randn(shape)
      .to(options.bf16 ? at::kBFloat16 : at::kFloat)
      .contiguous(options.channels_last ? at::MemoryFormat::ChannelsLast
                                        : at::MemoryFormat::Contiguous);
}

void Prepare(torch::nn::Module& module, const DescribeOptions& options) {
  const torch::NoGradGuard no_grad;
  if (options.channels_last) ToChannelsLast(module);
  module.train(true);
}

// keep: of which parts, by name.
template <class Keep>
PartCosts CostsOf(SegmentationNetwork& network, const DescribeOptions& options, const Keep& keep) {
  Prepare(network, options);
  const auto run = [&](int64_t height, int64_t width) {
    const at::Tensor images = Noise({ImagesRun(options), 3, height, width}, options);
    PartCounts counts =
        MeasureForward(network, options.bf16, [&] { return network.Forward(images); });
    std::erase_if(counts, [&](const auto& part) { return !keep(part.first); });
    return counts;
  };
  PartCosts costs;
  for (const auto& [name, count] :
       CountsAt(options.height, options.width, options.most_pixels, run)) {
    costs[name] = Each(count, options);
  }
  return costs;
}

int64_t ParametersOf(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

// One expert's of an image, on maps of `channels` channels and a `stride`-th of its sides. Its output is
// not held: a sum needs no addend for its gradient.
PartCost CostOf(const std::shared_ptr<Expert>& expert, bool recompute, int64_t channels,
                int64_t stride, const DescribeOptions& options) {
  Prepare(*expert, options);
  const auto run = [&](int64_t height, int64_t width) {
    const at::Tensor x =
        Noise({ImagesRun(options), channels, height / stride, width / stride}, options)
            .requires_grad_();
    return MeasureForward(*expert, options.bf16,
                          [&] { return ForwardOf(expert, x, recompute).grad_fn(); });
  };
  PartCount whole;
  for (const auto& [name, count] :
       CountsAt(options.height, options.width, options.most_pixels, run)) {
    whole.multiply_adds += count.multiply_adds;
    whole.held_bytes += count.held_bytes;
  }
  return Each(whole, options);
}

}  // namespace

DescribedPart DescribeNetwork(SegmentationNetwork& network, const DescribeOptions& options) {
  const auto all = [](const std::string&) { return true; };
  return TreeOf(network, CostsOf(network, options, all), options.batch);
}

NetworkDescription DescribeCamoXpert(const CamoXpertOptions& made, const DescribeOptions& options) {
  const auto network = MakeCamoXpert(made);
  // Experts' own counts are of where noise was routed to.
  PartCosts costs = CostsOf(*network, options, [](const std::string& part) {
    return part.find(".experts.") == std::string::npos;
  });
  const auto attention =
      made.attention == "linear" ? AttentionKind::kLinear : AttentionKind::kStandard;
  const double share = static_cast<double>(made.top_k) / static_cast<double>(made.experts.size());
  const auto& dims = FindEdgeNext(made.backbone).dims;
  NetworkDescription description;
  for (const ExpertKind* kind : ExpertKinds()) {
    const std::string name(kind->name);
    DescribedExpert row{kind};
    for (size_t layer = 0; layer < dims.size(); ++layer) {
      const int64_t stride = int64_t{4} << layer;
      const auto expert = kind->make(dims[layer], attention);
      PartCost cost =
          CostOf(expert, made.gradient_checkpointing, dims[layer], stride, options);
      row.parameters += ParametersOf(*expert);
      row.multiply_adds += cost.multiply_adds;
      cost.kind = name;
      cost.share = share;
      for (size_t i = 0; i < made.experts.size(); ++i) {
        if (made.experts[i] != name) continue;
        row.used = true;
        costs["moe_layers." + std::to_string(layer) + ".experts." + std::to_string(i)] = cost;
      }
    }
    description.experts.push_back(row);
  }
  description.whole = TreeOf(*network, costs, options.batch);
  return description;
}

}  // namespace flowtrain::model
