#include "stages/train/torch/describe/json.h"

#include <flowtrain/value.h>

namespace flowtrain::train {
namespace {

using model::DescribedExpert;
using model::DescribedPart;

Value ValueOf(const DescribedPart& part) {
  Value value{Value::Object{}};
  value.Set("name", part.name);
  if (!part.kind.empty()) value.Set("expert", part.kind);
  value.Set("parameters", part.parameters);
  value.Set("trainable", part.trainable);
  if (part.counted) {
    value.Set("multiply_adds", part.multiply_adds);
    value.Set("held_bytes", part.held_bytes);
  }
  value.Set("share", part.share);
  Value::List parts;
  for (const DescribedPart& inner : part.parts) parts.push_back(ValueOf(inner));
  value.Set("parts", std::move(parts));
  return value;
}

Value ValueOf(const DescribedExpert& expert) {
  Value value{Value::Object{}};
  value.Set("name", std::string(expert.kind->name));
  value.Set("computes", std::string(expert.kind->computes));
  value.Set("source", std::string(expert.kind->source));
  value.Set("used", expert.used);
  value.Set("parameters", expert.parameters);
  value.Set("multiply_adds", expert.multiply_adds);
  return value;
}

}  // namespace

void PrintJson(const model::NetworkDescription& described, const DescribeRequest& request,
               const std::string& precision, std::ostream& out) {
  Value value{Value::Object{}};
  value.Set("graph", request.graph);
  value.Set("stage", request.stage);
  Value::List phases(request.phases.begin(), request.phases.end());
  value.Set("phases", std::move(phases));
  value.Set("network", request.params.model.network);
  value.Set("height", request.height);
  value.Set("width", request.width);
  value.Set("batch", request.batch);
  value.Set("precision", precision);
  value.Set("whole", ValueOf(described.whole));
  Value::List experts;
  for (const DescribedExpert& expert : described.experts) experts.push_back(ValueOf(expert));
  value.Set("experts", std::move(experts));
  out << value.ToJson() << '\n';
}

}  // namespace flowtrain::train
