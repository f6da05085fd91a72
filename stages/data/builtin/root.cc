#include "stages/data/builtin/root.h"

#include "stages/data/names.h"

namespace flowtrain::data::builtin {

std::filesystem::path RootFolder(const std::string& root, const std::string& split,
                                 const Offer& offer, OpenContext& context) {
  const std::string own = offer.root;
  if (root.empty()) context.Refuse("root", "is empty: give a dataset's folder or \"" + own + "\"");
  if (!root.starts_with("builtin:")) return root;
  if (root != own) {
    context.Refuse("root", Quoted(root) + " is no built-in set of this stage, only \"" + own +
                               "\" is");
  }
  if (split == "test") context.Refuse("split", own + " has train and val, but no test half");
  return offer.ensure(context);
}

}  // namespace flowtrain::data::builtin
