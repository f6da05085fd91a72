// A small tensor on its way to the host. Owned by who asked for it, on the trainer's thread.
#pragma once

#include <c10/core/Event.h>
#include <torch/torch.h>

#include <optional>

namespace flowtrain::model {

class HostCopy {
 public:
  // Starts the copy behind what the current stream has been given so far; never waits.
  explicit HostCopy(const torch::Tensor& tensor);
  // Waits until that copy is done, not for what was launched after it.
  torch::Tensor Await();

 private:
  torch::Tensor host_;
  std::optional<c10::Event> copied_;  // none: it never left the host
};

}  // namespace flowtrain::model
