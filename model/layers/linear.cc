#include "model/layers/linear.h"

#include "model/layers/low_precision.h"
#include "model/layers/precision.h"
#include "model/layers/row_norm.h"

namespace flowtrain::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::Variable;
using torch::autograd::variable_list;

torch::Tensor Rows(const torch::Tensor& x) { return x.reshape({-1, x.size(-1)}); }

torch::Tensor Like(const torch::Tensor& rows, at::IntArrayRef shape) {
  auto sizes = shape.vec();
  sizes.back() = rows.size(1);
  return rows.view(sizes);
}

torch::Tensor Product(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

// Of each column.
torch::Tensor ColumnSums(const torch::Tensor& rows) {
  if (!rows.is_cuda()) return rows.sum(0);
  return at::mm(at::ones({1, rows.size(0)}, rows.options()), rows).squeeze(0);
}

// The gradients of x, weight and bias.
struct LinearGradients {
  torch::Tensor x, weight, bias;
};

LinearGradients ProductBackward(AutogradContext* context, const torch::Tensor& gradient,
                                const torch::Tensor& x, const torch::Tensor& weight, bool has_bias) {
  LinearGradients gradients;
  if (context->needs_input_grad(0)) gradients.x = at::mm(gradient, weight);
  gradients.weight = at::mm(gradient.t(), x);
  if (has_bias) gradients.bias = ColumnSums(gradient);
  return gradients;
}

class LinearFunction : public Function<LinearFunction> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight,
                          const Variable& bias, bool has_bias) {
    const RawOperators raw;
    const auto rows = Rows(x);
    context->save_for_backward({rows, weight});
    context->saved_data["has_bias"] = has_bias;
    context->saved_data["shape"] = x.sizes();
    return Like(Product(rows, weight, has_bias ? bias : torch::Tensor()), x.sizes());
  }
  static variable_list backward(AutogradContext* context, const variable_list& given) {
    const RawOperators raw;
    const auto saved = context->get_saved_variables();
    auto gradients = ProductBackward(context, Rows(given[0]), saved[0], saved[1],
                                     context->saved_data["has_bias"].toBool());
    if (gradients.x.defined()) gradients.x = gradients.x.view(context->saved_data["shape"].toIntVector());
    return {gradients.x, gradients.weight, gradients.bias, {}};
  }
};

class NormFunction : public Function<NormFunction> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight,
                          const Variable& bias, bool gelu) {
    const RawOperators raw;
    const auto rows = Rows(x);
    const NormedRows normed = NormRows(rows, weight, bias, gelu);
    context->save_for_backward({rows, weight, bias, normed.mean, normed.scale, normed.normed});
    context->saved_data["gelu"] = gelu;
    return normed.out.view(x.sizes());
  }
  static variable_list backward(AutogradContext* context, const variable_list& given) {
    const RawOperators raw;
    const auto saved = context->get_saved_variables();
    const auto gradients = NormRowsBackward(Rows(given[0]), saved[0], saved[1], saved[2], {{}, saved[3], saved[4], saved[5]},
                                            context->saved_data["gelu"].toBool());
    return {gradients.x.view(given[0].sizes()), gradients.weight, gradients.bias, {}};
  }
};

class LinearNormGeluFunction : public Function<LinearNormGeluFunction> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight,
                          const Variable& bias, const Variable& norm_weight, const Variable& norm_bias) {
    const RawOperators raw;
    const auto rows = Rows(x);
    const auto product = Product(rows, weight, bias);
    const NormedRows normed = NormRows(product, norm_weight, norm_bias, /*gelu=*/true);
    context->save_for_backward(
        {rows, weight, norm_weight, norm_bias, product, normed.mean, normed.scale, normed.normed});
    context->saved_data["shape"] = x.sizes();
    return Like(normed.out, x.sizes());
  }
  static variable_list backward(AutogradContext* context, const variable_list& given) {
    const RawOperators raw;
    const auto saved = context->get_saved_variables();
    const auto of_norm = NormRowsBackward(Rows(given[0]), saved[4], saved[2], saved[3],
                                          {{}, saved[5], saved[6], saved[7]}, /*gelu=*/true);
    auto gradients = ProductBackward(context, of_norm.x, saved[0], saved[1], /*has_bias=*/true);
    if (gradients.x.defined()) gradients.x = gradients.x.view(context->saved_data["shape"].toIntVector());
    return {gradients.x, gradients.weight, gradients.bias, of_norm.weight, of_norm.bias};
  }
};

}  // namespace

torch::Tensor LinearLast(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const auto type = ComputeType(weight);
  const bool has_bias = bias.defined();
  // An undefined tensor can't be handed to a Function.
  return LinearFunction::apply(x.to(type), weight.to(type), has_bias ? bias.to(type) : weight, has_bias);
}

torch::Tensor LinearNormGelu(const torch::Tensor& x, const torch::Tensor& weight,
                             const torch::Tensor& bias, const torch::Tensor& norm_weight,
                             const torch::Tensor& norm_bias) {
  const auto type = ComputeType(weight);
  return LinearNormGeluFunction::apply(x.to(type), weight.to(type), bias.to(type), norm_weight.to(type),
                                       norm_bias.to(type));
}

torch::Tensor Norm(const torch::Tensor& x, const torch::Tensor& norm_weight, const torch::Tensor& norm_bias,
                   bool gelu) {
  const auto type = x.scalar_type();
  return NormFunction::apply(x, norm_weight.to(type), norm_bias.to(type), gelu);
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) { return LinearLast(x, Low(weight), Low(bias)); }

}  // namespace flowtrain::model
