#include "stages/train/torch/describe/table.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "stages/train/torch/camoxpert_options.h"

namespace flowtrain::train {
namespace {

using model::DescribedExpert;
using model::DescribedPart;
using model::NetworkDescription;

// 12345678 as 12,345,678.
std::string Grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(i, ",");
  return digits;
}

std::string Fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// In billions for a large network, else in millions.
class MultiplyAdds {
 public:
  explicit MultiplyAdds(const DescribedPart& whole)
      : billions_(whole.multiply_adds >= 10'000'000'000) {}
  std::string Head() const { return billions_ ? "mult-adds, G" : "mult-adds, M"; }
  std::string Text(int64_t count) const {
    return Fixed(static_cast<double>(count) / (billions_ ? 1e9 : 1e6), billions_ ? 3 : 2);
  }

 private:
  const bool billions_;
};

std::string Left(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string Right(const std::string& text, size_t width) {
  // A space at least: columns must not run together.
  return std::string(std::max(width, text.size() + 1) - text.size(), ' ') + text;
}

constexpr size_t kName = 30, kNumber = 13;

class PartTable {
 public:
  PartTable(const DescribedPart& whole, std::ostream& out)
      : frozen_(whole.trainable != whole.parameters), multiply_adds_(whole), out_(out) {
    out_ << Left("part", kName) << Right("parameters", kNumber)
         << (frozen_ ? Right("trainable", kNumber) : "") << Right(multiply_adds_.Head(), kNumber)
         << Right("held, MB", kNumber) << '\n';
    for (const DescribedPart& part : whole.parts) Print(part, "", 0);
    Row("whole network", whole);
  }

 private:
  void Print(const DescribedPart& part, const std::string& parent, size_t depth) {
    const std::string own = parent.empty() ? part.name : part.name.substr(parent.size() + 1);
    const std::string kind = part.kind.empty() ? "" : "  " + part.kind;
    Row(std::string(2 * depth, ' ') + own + kind, part);
    for (const DescribedPart& inner : part.parts) Print(inner, part.name, depth + 1);
  }
  void Row(const std::string& name, const DescribedPart& part) {
    out_ << Left(name, kName) << Right(Grouped(part.parameters), kNumber)
         << (frozen_ ? Right(Grouped(part.trainable), kNumber) : "")
         << Right(part.counted ? multiply_adds_.Text(part.multiply_adds) : "-", kNumber)
         << Right(part.counted ? Fixed(static_cast<double>(part.held_bytes) / 1e6, 1) : "-", kNumber)
         << '\n';
  }

  const bool frozen_;
  const MultiplyAdds multiply_adds_;
  std::ostream& out_;
};

void PrintExperts(const NetworkDescription& described, std::ostream& out) {
  const MultiplyAdds multiply_adds(described.whole);
  out << Left("expert", 18) << Right("parameters", kNumber) << Right(multiply_adds.Head(), kNumber)
      << "  in the graph\n";
  for (const DescribedExpert& expert : described.experts) {
    out << Left(std::string(expert.kind->name), 18) << Right(Grouped(expert.parameters), kNumber)
        << Right(multiply_adds.Text(expert.multiply_adds), kNumber)
        << (expert.used ? "  yes" : "  no") << "\n    " << expert.kind->computes << "\n    "
        << expert.kind->source << '\n';
  }
}

void PrintPhases(const std::vector<std::string>& phases, std::ostream& out) {
  if (phases.empty()) return;
  out << (phases.size() == 1 ? "phase    " : "phases   ");
  for (const std::string& phase : phases) out << (&phase == &phases.front() ? "" : ", ") << phase;
  out << '\n';
}

// "unet.plain, width 8": with what the graph tells it.
std::string InWords(const ModelParams& p) {
  if (p.network == kCamoXpert) return CamoXpertInWords(p, /*attention=*/true);
  std::string text = p.network;
  for (const auto& [name, number] : p.options) {
    std::ostringstream digits;
    digits << number;
    text += ", " + name + " " + digits.str();
  }
  for (const auto& [name, word] : p.choices) text += ", " + name + " " + word;
  return text;
}

void PrintHowCounted(bool recomputed, std::ostream& out) {
  out << "\nmult-adds: of one image, forward, in convolutions, matrix products and attention, as "
         "counted\n"
      << "while they ran on the CPU, or worked out from smaller images that did; a training step takes\n"
      << "about " << (recomputed ? "four" : "three") << " times as many.";
}

void PrintPlainLegend(std::ostream& out) {
  PrintHowCounted(/*recomputed=*/false, out);
  out << "\nheld: what the forward pass allocates and keeps for backward, of a batch. Without weights,\n"
      << "gradients, the optimizer's moments, the loss, and what kernels need while they run.\n"
      << "-: the network does not mark this part (model/describe/part_scope.h); it is in the whole.\n";
}

void PrintLegend(const ModelParams& p, std::ostream& out) {
  const std::string share = std::to_string(p.top_k) + "/" + std::to_string(p.experts.size());
  PrintHowCounted(p.gradient_checkpointing, out);
  out << " An expert's are those of an image that goes through it; its layer's\n"
      << "row, and all above, count " << share << " of them, as with balanced routing.\n"
      << "held: what the forward pass allocates and keeps for backward, of a batch; an expert's of "
         "the\n"
      << share
      << " of the batch that it gets. Without weights, gradients, the optimizer's moments, the\n"
      << "loss, and what kernels need while they run.\n\n";
}

}  // namespace

void PrintTables(const NetworkDescription& described, const DescribeRequest& request,
                 const std::string& precision, std::ostream& out) {
  const ModelParams& p = request.params.model;
  PrintPhases(request.phases, out);
  out << "network  " << request.stage << ": " << InWords(p) << "\ninput    " << request.height
      << " x " << request.width << ", batch " << request.batch << ", " << precision << "\n\n";
  PartTable(described.whole, out);
  if (described.experts.empty()) return PrintPlainLegend(out);
  PrintLegend(p, out);
  PrintExperts(described, out);
  out << "Of all layers together, and an image that goes through the expert in each.\n";
}

}  // namespace flowtrain::train
