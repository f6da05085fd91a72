#include "model/io/load.h"

#include <set>
#include <sstream>
#include <stdexcept>

#include "model/io/shown.h"
#include "model/state_dict.h"

namespace flowtrain::model {
namespace {

constexpr size_t kNamesShown = 5;

void AppendNames(std::ostringstream& text, const char* kind, const std::vector<std::string>& names) {
  if (names.empty()) return;
  text << (text.tellp() > 0 ? "; " : "") << names.size() << " " << kind << ": ";
  for (size_t i = 0; i < names.size() && i < kNamesShown; ++i) text << (i > 0 ? ", " : "") << names[i];
  if (names.size() > kNamesShown) text << " and " << names.size() - kNamesShown << " more";
}

// Whether numbers of one type can stand for the other's.
bool TypesFit(at::ScalarType own, at::ScalarType given) {
  return own == given || (at::isFloatingType(own) && at::isFloatingType(given)) ||
         (at::isIntegralType(own, /*includeBool=*/false) && at::isIntegralType(given, false));
}

template <typename What>
std::string Difference(const std::string& name, const What& own, const What& given) {
  std::ostringstream text;
  text << name << ": " << own << " in the module, " << given << " given";
  return text.str();
}

}  // namespace

std::string LoadReport::Text() const {
  std::ostringstream text;
  AppendNames(text, "missing", missing);
  AppendNames(text, "unexpected", unexpected);
  AppendNames(text, "of another shape", misshaped);
  AppendNames(text, "of another type", mistyped);
  AppendNames(text, "left out", left_out);
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
      report.misshaped.push_back(Difference(name, own.sizes(), found->second.sizes()));
    } else if (!TypesFit(own.scalar_type(), found->second.scalar_type())) {
      report.mistyped.push_back(Difference(name, own.scalar_type(), found->second.scalar_type()));
    } else {
      copies.emplace_back(own, found->second);
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (!known.contains(name)) report.unexpected.push_back(Shown(name));
  }
  if (mode == LoadMode::kStrict && !report.Complete()) throw std::runtime_error(report.Text());
  for (auto& [own, given] : copies) own.copy_(given);
  report.loaded = copies.size();
  return report;
}

}  // namespace flowtrain::model
