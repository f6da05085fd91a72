// What a plugin provides for `train.segmentation` to train a network of its own (see README.md):
//
//   r.Provide<flowtrain::model::NetworkProvider>("unet.small", std::make_shared<Small>());
//
// Any change of this class, of NetworkOptions or of network.h raises the number in kNetworkInterface.
#pragma once

#include <memory>

#include "model/network.h"
#include "model/network_options.h"

namespace flowtrain::model {

// Lives as long as the process.
class NetworkProvider {
 public:
  static constexpr const char* kInterface = kNetworkInterface;
  virtual ~NetworkProvider() = default;
  // A new network on the CPU, in float32, its weights from LibTorch's default generator, which is
  // seeded from the graph's seed before. Called on the main thread, also for a run that is resumed:
  // the entries of its state dict depend on the options alone. What it throws is said at the
  // network's place in the graph.
  virtual std::shared_ptr<SegmentationNetwork> Make(NetworkOptions& options) const = 0;
};

}  // namespace flowtrain::model
