#include "model/describe/operator_cost.h"

#include <ATen/ATen.h>

#include <vector>

namespace flowtrain::model {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

// One number may stand for all dimensions.
int64_t Of(const std::vector<int64_t>& numbers, int64_t dimension) {
  return numbers.size() == 1 ? numbers[0] : numbers.at(dimension);
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
int64_t OfConvolution(Arguments arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const at::Tensor& weight = arguments[1].toTensor();  // [out, in / groups, kernel...]
  if (arguments[6].toBool()) return input.numel() * (weight.numel() / weight.size(0));
  const auto stride = arguments[3].toIntVector(), padding = arguments[4].toIntVector(),
             dilation = arguments[5].toIntVector();
  int64_t places = input.size(0);
  for (int64_t i = 0; i < input.dim() - 2; ++i) {
    const int64_t reach = Of(dilation, i) * (weight.size(i + 2) - 1);
    places *= (input.size(i + 2) + 2 * Of(padding, i) - reach - 1) / Of(stride, i) + 1;
  }
  return places * weight.numel();
}

// a [..., n, m] times b [..., m, p] or [m].
int64_t OfProduct(const at::Tensor& a, const at::Tensor& b) {
  return a.numel() * (b.dim() < 2 ? 1 : b.size(-1));
}

// q [..., n, d], k [..., m, d], v [..., m, d_v]: q k^T, then times v.
int64_t OfAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  return q.numel() / q.size(-1) * k.size(-2) * (q.size(-1) + v.size(-1));
}

bool IsAttentionKernel(std::string_view name) {
  // "_math" is made of products, which are counted by themselves.
  return name.starts_with("_scaled_dot_product_") &&
         !name.starts_with("_scaled_dot_product_attention_math");
}

}  // namespace

std::optional<int64_t> MultiplyAdds(std::string_view name, Arguments arguments) {
  constexpr std::string_view kNamespace = "aten::";
  if (!name.starts_with(kNamespace)) return std::nullopt;
  name.remove_prefix(kNamespace.size());
  if (name == "convolution") return OfConvolution(arguments);
  const bool product = name == "mm" || name == "bmm" || name == "mv" || name == "dot";
  // Their first argument is what the product is added to.
  const bool sum =
      name == "addmm" || name == "baddbmm" || name == "addmv" || name == "_addmm_activation";
  if (product || sum) return OfProduct(arguments[sum].toTensor(), arguments[sum + 1].toTensor());
  if (IsAttentionKernel(name)) {
    return OfAttention(arguments[0].toTensor(), arguments[1].toTensor(), arguments[2].toTensor());
  }
  return std::nullopt;
}

}  // namespace flowtrain::model
