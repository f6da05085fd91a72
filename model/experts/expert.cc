#include "model/experts/expert.h"

#include <stdexcept>

namespace flowtrain::model {

std::array<const ExpertKind*, kExpertNames.size()> ExpertKinds() {
  return {&kTextureExpert, &kAttentionExpert,       &kHybridExpert,  &kFrequencyExpert,
          &kEdgeExpert,    &kSemanticContextExpert, &kContrastExpert};
}

const ExpertKind& FindExpert(const std::string& name) {
  for (const ExpertKind* kind : ExpertKinds()) {
    if (kind->name == name) return *kind;
  }
  throw std::invalid_argument("experts: '" + name +
                              "' is unknown; allowed: " + JoinNames(kExpertNames));
}

std::shared_ptr<Expert> MakeExpert(const std::string& name, int64_t channels, AttentionKind kind) {
  return FindExpert(name).make(channels, kind);
}

}  // namespace flowtrain::model
