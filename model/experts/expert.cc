#include "model/experts/expert.h"

#include <stdexcept>

#include "model/camoxpert_options.h"

namespace flowtrain::model {

std::shared_ptr<Expert> MakeExpert(const std::string& name, int64_t channels, AttentionKind kind) {
  if (name == "texture") return MakeTextureExpert(channels);
  if (name == "attention") return MakeAttentionExpert(channels, kind);
  if (name == "hybrid") return MakeHybridExpert(channels);
  if (name == "frequency") return MakeFrequencyExpert(channels);
  if (name == "edge") return MakeEdgeExpert(channels);
  if (name == "semantic_context") return MakeSemanticContextExpert(channels);
  if (name == "contrast") return MakeContrastExpert(channels);
  throw std::invalid_argument("experts: '" + name +
                              "' is unknown; allowed: " + JoinNames(kExpertNames));
}

}  // namespace flowtrain::model
