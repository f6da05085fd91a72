#include "model/io/load.h"

#include <set>
#include <sstream>
#include <stdexcept>

#include "model/state_dict.h"

namespace flowtrain::model {
namespace {

constexpr size_t kNamesShown = 5;

void AppendNames(std::ostringstream& text, const char* kind, const std::vector<std::string>& names) {
  if (names.empty()) return;
  text << (text.tellp() > 0 ? "\n" : "") << names.size() << " " << kind << ": ";
  for (size_t i = 0; i < names.size() && i < kNamesShown; ++i) text << (i > 0 ? ", " : "") << names[i];
  if (names.size() > kNamesShown) text << " and " << names.size() - kNamesShown << " more";
}

}  // namespace

std::string LoadReport::Text() const {
  std::ostringstream text;
  AppendNames(text, "missing", missing);
  AppendNames(text, "unexpected", unexpected);
  AppendNames(text, "of another shape", misshaped);
  return text.str();
}

LoadReport LoadTensors(torch::nn::Module& module, const TensorMap& tensors, LoadMode mode) {
  const torch::NoGradGuard no_grad;
  LoadReport report;
  std::set<std::string> known;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> copies;
  for (const auto& [name, own] : StateDict(module)) {
    known.insert(name);
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      report.missing.push_back(name);
    } else if (found->second.sizes() != own.sizes()) {
      std::ostringstream text;
      text << name << ": " << own.sizes() << " in the module, " << found->second.sizes() << " given";
      report.misshaped.push_back(text.str());
    } else {
      copies.emplace_back(own, found->second);
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (!known.contains(name)) report.unexpected.push_back(name);
  }
  if (mode == LoadMode::kStrict && !report.Complete()) throw std::runtime_error(report.Text());
  for (auto& [own, given] : copies) own.copy_(given);
  return report;
}

}  // namespace flowtrain::model
