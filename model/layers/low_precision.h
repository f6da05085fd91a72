// The network's weights in a half type, beside the float32 ones that are trained. Autocast would cast
// each weight where it is used, and each gradient back: over 1,500 launches a step for CamoXpert. Here
// all are cast by a few, and so are their gradients.
#pragma once

#include <torch/torch.h>

#include <unordered_map>
#include <vector>

namespace flowtrain::model {

// What a layer computes with instead of `parameter`: inside a LowPrecisionWeights::Scope its copy, else
// itself. An undefined tensor stays so.
torch::Tensor Low(const torch::Tensor& parameter);

// Owned by a trainer, on its thread; the module outlives it, and its parameters keep their memory.
class LowPrecisionWeights {
 public:
  LowPrecisionWeights(const torch::nn::Module& module, at::ScalarType type);

  void Refresh();  // from the parameters as they are now
  // Gives the parameters whose copies have gradients those as float, and takes them from the copies.
  void ReturnGradients();
  void DropGradients();

  static const LowPrecisionWeights* current();  // those of this thread's Scope; null: none

  // While it lives, Low gives copies on this thread.
  class Scope {
   public:
    explicit Scope(const LowPrecisionWeights* weights);  // null: Low gives parameters
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const LowPrecisionWeights* const before_;
  };

 private:
  friend torch::Tensor Low(const torch::Tensor& parameter);
  std::vector<torch::Tensor> parameters_, copies_;
  std::unordered_map<const c10::TensorImpl*, torch::Tensor> copy_of_;
};

}  // namespace flowtrain::model
