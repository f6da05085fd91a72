#include "model/train/step_result.h"

#include <stdexcept>

namespace flowtrain::model {

StepSummary Summarise(const StepResult& r) {
  const LossParts& l = r.loss;
  std::vector<at::Tensor> numbers;
  for (const at::Tensor& t : {r.first_bad_step, l.total, l.bce, l.iou, l.edge, l.deep, l.auxiliary,
                              r.gradient_norm}) {
    numbers.push_back(t.reshape({1}).to(at::kDouble));
  }
  for (const at::Tensor& usage : r.usage) numbers.push_back(usage.reshape({-1}).to(at::kDouble));
  const at::Tensor host = at::cat(numbers).cpu();
  const double* next = host.const_data_ptr<double>();

  const auto bad_step = static_cast<int64_t>(*next++);
  if (bad_step > 0) {
    throw std::runtime_error("the loss or the gradient is not finite since step " +
                             std::to_string(bad_step));
  }
  StepSummary summary;
  summary.step = r.step;
  summary.lr = r.lr;
  for (double* part : {&summary.loss, &summary.bce, &summary.iou, &summary.edge, &summary.deep,
                       &summary.auxiliary, &summary.gradient_norm}) {
    *part = *next++;
  }
  for (const at::Tensor& usage : r.usage) {
    summary.usage.emplace_back(next, next + usage.numel());
    next += usage.numel();
  }
  return summary;
}

}  // namespace flowtrain::model
