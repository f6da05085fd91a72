#include "model/layers/resize.h"

#include "model/layers/layout.h"
#include "model/layers/precision.h"
#include "model/layers/up_matrix.h"

namespace flowtrain::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct Matrices {
  torch::Tensor rows, columns;  // [height, H], [width, W]
};

Matrices MatricesFor(at::IntArrayRef from, int64_t height, int64_t width, const torch::TensorOptions& of) {
  const auto options = of.dtype(AtLeastFloat(of.dtype().toScalarType()));
  return {UpMatrix(height, from[2], options).to(of), UpMatrix(width, from[3], options).to(of)};
}

// x [B, H, W, C], rows [h, H], columns [w, W] -> [B, h, w, C]: rows x columns^T, channel by channel. Rows
// come last, and first in the transpose, so that what is between them is small where images grow.
torch::Tensor Apply(const torch::Tensor& x, const Matrices& m) {
  const auto b = x.size(0), c = x.size(3), h = m.rows.size(0), w = m.columns.size(0);
  const auto wide = TimesEach(m.columns, x.reshape({b * x.size(1), x.size(2), c}));
  return TimesEach(m.rows, wide.view({b, x.size(1), w * c})).view({b, h, w, c});
}

// Its transpose.
torch::Tensor ApplyTransposed(const torch::Tensor& gradient, const Matrices& m) {
  const auto b = gradient.size(0), w = gradient.size(2), c = gradient.size(3), from_h = m.rows.size(1);
  const auto low = TimesEach(m.rows.t(), gradient.reshape({b, gradient.size(1), w * c}));
  return TimesEach(m.columns.t(), low.view({b * from_h, w, c})).view({b, from_h, m.columns.size(1), c});
}

class ResizeFunction : public Function<ResizeFunction> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, int64_t height, int64_t width) {
    const RawOperators raw;
    const Matrices matrices = MatricesFor(x.sizes(), height, width, x.options());
    context->save_for_backward({matrices.rows, matrices.columns});
    return ChannelsToFront(Apply(ChannelsToEnd(x), matrices));
  }
  static variable_list backward(AutogradContext* context, const variable_list& given) {
    const RawOperators raw;
    const auto saved = context->get_saved_variables();
    return {ChannelsToFront(ApplyTransposed(ChannelsToEnd(given[0]), {saved[0], saved[1]})), {}, {}};
  }
};

}  // namespace

torch::Tensor ResizeByProducts(const torch::Tensor& x, int64_t height, int64_t width) {
  return ResizeFunction::apply(x, height, width);
}

torch::Tensor ResizeTo(const torch::Tensor& x, int64_t height, int64_t width) {
  if (x.size(2) == height && x.size(3) == width) return x;
  const auto type = x.scalar_type();
  if (x.is_cuda() && AtLeastFloat(type) != type) return ResizeByProducts(x, height, width);
  const AutocastOff autocast_off;
  return at::upsample_bilinear2d(x, {height, width}, /*align_corners=*/false);
}

}  // namespace flowtrain::model
