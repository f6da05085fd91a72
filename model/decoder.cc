#include "model/decoder.h"

#include "model/layers/conv.h"
#include "model/layers/numbered.h"
#include "model/layers/resize.h"

namespace flowtrain::model {

DecoderBlock::DecoderBlock(int64_t in, int64_t skip, int64_t out) {
  const auto conv = register_module("conv", std::make_shared<Numbered>());
  conv1_ = conv->Add(0, SameConv(in + skip, out, 3));
  norm1_ = conv->Add(1, torch::nn::BatchNorm2d(out));
  conv2_ = conv->Add(3, SameConv(out, out, 3));
  norm2_ = conv->Add(4, torch::nn::BatchNorm2d(out));
}

torch::Tensor DecoderBlock::Forward(const torch::Tensor& x, const torch::Tensor& skip) {
  auto y = ResizeTo(x, 2 * x.size(2), 2 * x.size(3));
  if (skip.defined()) y = at::cat({ResizeTo(y, skip.size(2), skip.size(3)), skip}, 1);
  y = at::relu(norm1_->forward(conv1_->forward(y)));
  return at::relu(norm2_->forward(conv2_->forward(y)));
}

FinalConv::FinalConv() {
  conv_ = register_module("0", SameConv(64, 32, 3));
  norm_ = register_module("1", torch::nn::BatchNorm2d(32));
  head_ = register_module("3", SameConv(32, 1, 1));
}

torch::Tensor FinalConv::Forward(const torch::Tensor& x) {
  return head_->forward(at::relu(norm_->forward(conv_->forward(x))));
}

}  // namespace flowtrain::model
