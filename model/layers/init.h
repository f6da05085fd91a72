// Initial values of weights. EdgeNeXt uses a truncated normal; everything else in CamoXpert starts
// with PyTorch's defaults: conv and linear uniform in +-1/sqrt(fan in) (Kaiming uniform with
// a = sqrt 5), batch norm 1 and 0.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

// Normal(0, std), cut off at two standard deviations.
void TruncatedNormal(torch::Tensor& weight, double std);

// Every convolution and linear layer under module: weights TruncatedNormal(.02), biases 0.
void InitTruncatedNormal(torch::nn::Module& module);

// PyTorch's default of a convolution's or linear layer's weight and (where defined) bias.
void InitDefault(torch::Tensor& weight, torch::Tensor& bias);

}  // namespace flowtrain::model
